package selfplay

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Streams separate the uses of a game's seed.
const (
	dealStream    = 0x6465616c
	openingStream = 0x6f70656e
	moveStream    = 0x6d6f7665
	noiseStream   = 0x726f6f74
)

// phase is the state of a play.
type phase uint8

const (
	idle      phase = iota // no game
	opening                // an opening is being drawn
	searching              // a search is under way
	over                   // the game is finished
)

// play is one game under way. It belongs to its worker's goroutine, whose
// evaluator and encoder it uses, and is used for one game after the other.
type play struct {
	setup     *Setup
	opts      *Options
	searcher  searcher
	recorder  *recorder
	opening   balancedOpening
	evaluator *evaluator // of the network that the game is played with; nil with a teacher

	phase phase
	seed  uint64 // of the game

	start game.Position // of the game
	pos   game.Position
	moves []game.Move
	bad   [2]int         // consecutive searches, by side, with a resignable value
	audit *samples.Audit // nil: a side that resigns ends the game

	outcome game.Outcome
	reason  game.Reason
}

// newPlay returns a play without a game.
func newPlay(setup *Setup, opts *Options, search searcher, balance balance, enc nn.Encoder) *play {
	return &play{
		setup: setup, opts: opts, searcher: search,
		recorder: newRecorder(enc),
		opening: balancedOpening{
			random: randomOpening{opts: opts.Opening, width: setup.Columns}, balance: balance,
		},
	}
}

// newGame begins a game. The play already uses its network.
func (p *play) newGame(a assignment) error {
	p.seed = samples.GameSeed(p.opts.Seed, uint64(a.id))
	p.recorder.start(uint64(a.id), p.seed)
	p.outcome, p.reason = game.Undecided, game.NoReason
	p.bad, p.audit = [2]int{}, nil
	if p.opts.ResignAudit > 0 && samples.Audited(p.seed, p.opts.ResignAudit) {
		p.audit = &samples.Audit{Resigns: samples.Nobody}
	}
	p.start = p.setup.Start
	if p.setup.Deal != nil {
		var err error
		if p.start, err = p.setup.Deal(rand.New(rand.NewPCG(p.seed^dealStream, 0))); err != nil {
			return err
		}
	}
	if p.opts.Opening.MaxPlies == 0 {
		return p.begin(nil)
	}
	p.phase = opening
	p.opening.reset(p.start, p.seed^openingStream)
	return nil
}

// step plays on until the game is over or waits for the evaluator, and reports whether it
// waits.
func (p *play) step(ctx context.Context) (waits bool, err error) {
	for err == nil {
		switch p.phase {
		case opening:
			moves, done, err := p.opening.step(ctx)
			if err != nil {
				return false, err
			}
			if !done {
				return true, nil
			}
			if err := p.begin(moves); err != nil {
				return false, err
			}
		case searching:
			if waits, err = p.searcher.step(ctx); waits || err != nil {
				return waits, err
			}
			err = p.move()
		default:
			return false, nil
		}
	}
	return false, err
}

// absorb takes in the results of the evaluator's Wait.
func (p *play) absorb() {
	switch p.phase {
	case opening:
		p.opening.absorb()
	default:
		p.searcher.absorb()
	}
}

// begin starts the first search, after the opening's moves.
func (p *play) begin(moves []game.Move) error {
	p.pos = p.start.Clone()
	p.moves = append(p.moves[:0], moves...)
	for _, m := range moves {
		p.pos.Play(m)
	}
	if err := p.searcher.start(p.pos, p.seed); err != nil {
		return err
	}
	p.search()
	return nil
}

// search begins the search of the position.
func (p *play) search() {
	p.phase = searching
	p.searcher.begin(len(p.moves))
}

// move ends the search: it records the position and plays, or ends the game.
func (p *play) move() error {
	v, err := p.searcher.decision(len(p.moves))
	if err != nil {
		return err
	}
	if p.resigns(v) {
		p.end(game.WinFor(p.pos.ToMove().Other()), game.Resigned)
		return nil
	}
	p.recorder.reply(p.pos, len(p.moves), v.move)
	if v.weight > 0 {
		p.recorder.record(p.pos, len(p.moves), v)
	}
	mover := p.pos.ToMove()
	p.pos.Play(v.move)
	p.moves = append(p.moves, v.move)
	switch {
	case p.pos.Outcome() != game.Undecided:
		p.end(p.pos.Outcome(), p.pos.Reason())
	case p.opts.StopAtProof && v.full && v.proven != mcts.Unknown:
		p.end(provenOutcome(v.proven, mover), game.Proven)
	case len(p.moves) == p.opts.MaxPlies:
		p.end(game.Draw, game.MoveLimit)
	default:
		if err := p.searcher.advance(v.move, p.pos); err != nil {
			return err
		}
		p.search()
	}
	return nil
}

// resigns reports whether the side to move resigns. In an audited game it plays on, and
// the first resignation is recorded.
func (p *play) resigns(v *decision) bool {
	if p.opts.ResignAt == 0 {
		return false
	}
	n := &p.bad[p.pos.ToMove()]
	if float64(v.rootQ) > -p.opts.ResignAt {
		*n = 0
		return false
	}
	*n++
	if *n < p.opts.ResignTurns {
		return false
	}
	if p.audit == nil {
		return true
	}
	if p.audit.Resigns == samples.Nobody {
		p.audit.Resigns, p.audit.Ply = p.pos.ToMove().String(), len(p.moves)
	}
	return false
}

// provenOutcome returns the outcome for a proof of side.
func provenOutcome(proof mcts.Proof, side game.Side) game.Outcome {
	switch proof {
	case mcts.Win:
		return game.WinFor(side)
	case mcts.Loss:
		return game.WinFor(side.Other())
	}
	return game.Draw
}

// end finishes the game.
func (p *play) end(outcome game.Outcome, reason game.Reason) {
	p.phase, p.outcome, p.reason = over, outcome, reason
}

// finish returns the record of a game that is over and leaves the play idle.
func (p *play) finish() *samples.Record {
	p.phase = idle
	p.recorder.game.Game.Audit = p.audit
	return p.recorder.finish(p.setup.Format, p.start, p.moves, p.outcome, p.reason)
}

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
