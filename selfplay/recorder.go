package selfplay

import (
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// recorder turns the searches of one game into rows.
type recorder struct {
	enc    nn.Encoder
	shape  nn.Shape
	layout samples.Layout
	game   *samples.Record
	sides  []game.Side // to move, by row

	// Scratch of one row.
	planes   []float32
	legal    []game.Move
	actions  []int
	searched []searchedMove
	row      samples.Row
}

func newRecorder(enc nn.Encoder) *recorder {
	s := enc.Shape()
	w := &recorder{
		enc: enc, shape: s,
		layout: samples.NewLayout(s.Planes, s.Height*s.Width, s.Globals, s.Actions),
		planes: make([]float32, s.PlaneSize()),
	}
	w.row.Globals = make([]float32, s.Globals)
	w.row.Legal = make([]byte, w.layout.LegalBytes)
	return w
}

// start begins the record of a game.
func (w *recorder) start(id, seed uint64) {
	w.game = &samples.Record{Game: samples.Game{ID: id, Seed: seed}, Rows: samples.NewColumns(w.layout)}
	w.sides = w.sides[:0]
}

// record adds the row of pos, ply moves into the game, with the result v of its search.
// finish enters what depends on the end of the game.
func (w *recorder) record(pos game.Position, ply int, v *decision) {
	row := &w.row
	w.enc.Encode(pos, 0, w.planes, row.Globals)
	row.Planes = samples.PackPlanes(row.Planes[:0], w.planes, w.shape.Height*w.shape.Width)
	w.legal = pos.Moves(w.legal[:0])
	w.actions = w.actions[:0]
	for _, l := range w.legal {
		w.actions = append(w.actions, w.enc.Action(pos, l, 0))
	}
	samples.PackActions(row.Legal, w.actions)
	w.sparse(pos, v.moves)
	row.RootQ, row.NetQ = v.rootQ, v.netQ
	row.Played, row.Reply = uint16(w.enc.Action(pos, v.move, 0)), samples.None
	row.Ply = uint16(ply)
	row.FullSearch = 0
	if v.full {
		row.FullSearch = 1
	}
	row.Proven = provenCode(v.proven)
	row.Weight = v.weight
	w.game.Rows.Append(row)
	w.sides = append(w.sides, pos.ToMove())
}

// reply enters m, which is played in pos, ply moves into the game, as the reply in the
// row of the position before, if there is one.
func (w *recorder) reply(pos game.Position, ply int, m game.Move) {
	rows := w.game.Rows
	if last := rows.Rows - 1; last >= 0 && int(rows.Ply[last])+1 == ply {
		rows.Reply[last] = uint16(w.enc.Action(pos, m, 0))
	}
}

// sparse fills the sparse columns with the searched moves in ascending order of action.
func (w *recorder) sparse(pos game.Position, moves []searchedMove) {
	w.searched = append(w.searched[:0], moves...)
	slices.SortFunc(w.searched, func(a, b searchedMove) int {
		return w.enc.Action(pos, a.move, 0) - w.enc.Action(pos, b.move, 0)
	})
	row := &w.row
	row.Actions, row.Counts, row.Target = row.Actions[:0], row.Counts[:0], row.Target[:0]
	for _, j := range w.searched {
		row.Actions = append(row.Actions, uint16(w.enc.Action(pos, j.move, 0)))
		row.Counts = append(row.Counts, j.visits)
		row.Target = append(row.Target, j.target)
	}
}

// provenCode returns the column's value for a proof.
func provenCode(p mcts.Proof) int8 {
	switch p {
	case mcts.Win:
		return samples.ProvenWin
	case mcts.Draw:
		return samples.ProvenDraw
	case mcts.Loss:
		return samples.ProvenLoss
	}
	return samples.ProvenUnknown
}

// finish enters the end of the game into its rows and returns the record, which the
// caller owns.
func (w *recorder) finish(format func(game.Position, []game.Move) string, start game.Position, moves []game.Move, outcome game.Outcome, reason game.Reason) *samples.Record {
	r := w.game
	w.game = nil
	from := len(moves)
	if r.Rows.Rows > 0 {
		from = int(r.Rows.Ply[0])
	}
	r.Game.From = format(start, moves[:from])
	r.Game.Moves = format(start, moves)
	r.Game.Result, r.Game.Reason, r.Game.Plies = outcome.String(), reason, len(moves)
	for i, side := range w.sides {
		ply := int(r.Rows.Ply[i])
		r.Rows.Outcome[i] = int8(outcome.Value(side))
		r.Rows.PliesLeft[i] = uint16(len(moves) - ply)
	}
	return r
}
