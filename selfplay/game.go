package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/carozero/carozero/game"
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

// player finds the moves of one game after the other.
type player interface {
	// start begins a game at pos, which it does not change, with that seed.
	start(pos game.Position, seed uint64) error

	// balance returns the value of a position that is not over, -1..1 for the side to move,
	// before the game is started.
	balance(ctx context.Context, pos game.Position) (float64, error)

	// search searches the position, ply moves into the game. The decision is valid until
	// the next search.
	search(ctx context.Context, ply int) (*decision, error)

	// advance plays m, which leads to pos.
	advance(m game.Move, pos game.Position) error
}

// decision is the result of searching a position: the values of its row, and the move
// to play.
type decision struct {
	move   game.Move
	moves  []searchedMove // at least one, in any order
	rootQ  float32        // value for the side to move, -1..1
	netQ   float32        // the same without a search
	proven game.Result
	full   bool    // not a cheap search
	weight float32 // of the row; 0: none is recorded
}

// searchedMove is a move with its share of the policy target.
type searchedMove struct {
	move   game.Move
	visits uint32
	target float32 // of the policy; the targets of a decision sum to 1
}

// slot plays one game after the other. It belongs to its worker.
type slot struct {
	setup    *Setup
	opts     *Options
	player   player
	opening  balancedOpening
	recorder *recorder
}

func newSlot(setup *Setup, opts *Options) slot {
	return slot{
		setup: setup, opts: opts, recorder: newRecorder(setup.Encoder.Clone()),
		opening: balancedOpening{random: randomOpening{opts: opts.Opening, width: setup.Columns}},
	}
}

// play plays game id to its end.
func (s *slot) play(ctx context.Context, id int) (*samples.Record, error) {
	seed := samples.GameSeed(s.opts.Seed, uint64(id))
	start, moves, err := s.begin(ctx, seed)
	if err != nil {
		return nil, fmt.Errorf("game %d: %w", id, err)
	}
	pos := start.Clone()
	for _, m := range moves {
		pos.Play(m)
	}
	if err := s.player.start(pos, seed); err != nil {
		return nil, err
	}
	s.recorder.start(uint64(id), seed)
	resigning := resignation{opts: s.opts}
	if s.opts.ResignAudit > 0 && samples.Audited(seed, s.opts.ResignAudit) {
		resigning.audit = &samples.Audit{Resigns: samples.Nobody}
	}
	outcome, reason := game.Undecided, game.NoReason
	for outcome == game.Undecided {
		d, err := s.player.search(ctx, len(moves))
		if err != nil {
			return nil, err
		}
		mover := pos.ToMove()
		if resigning.resigns(d, mover, len(moves)) {
			outcome, reason = game.WinFor(mover.Other()), game.Resigned
			break
		}
		s.recorder.reply(pos, len(moves), d.move)
		if d.weight > 0 {
			s.recorder.record(pos, len(moves), d)
		}
		pos.Play(d.move)
		moves = append(moves, d.move)
		if outcome, reason = s.ended(pos, d, mover, len(moves)); outcome == game.Undecided {
			if err := s.player.advance(d.move, pos); err != nil {
				return nil, err
			}
		}
	}
	s.recorder.game.Game.Audit = resigning.audit
	return s.recorder.finish(s.setup.Format, start, moves, outcome, reason), nil
}

// begin returns the position that a game starts from and its random moves.
func (s *slot) begin(ctx context.Context, seed uint64) (start game.Position, moves []game.Move, err error) {
	start = s.setup.Start
	if s.setup.Deal != nil {
		if start, err = s.setup.Deal(rand.New(rand.NewPCG(seed^dealStream, 0))); err != nil {
			return nil, nil, err
		}
	}
	if s.opts.Opening.MaxPlies > 0 {
		moves, err = s.opening.draw(ctx, start, seed^openingStream, s.player.balance)
	}
	return start, slices.Clone(moves), err
}

// ended returns the outcome after so many moves, Undecided if the game goes on. mover has
// played the last one, by decision d.
func (s *slot) ended(pos game.Position, d *decision, mover game.Side, plies int) (game.Outcome, game.Reason) {
	switch {
	case pos.Outcome() != game.Undecided:
		return pos.Outcome(), pos.Reason()
	case s.opts.StopAtProof && d.full && d.proven != game.Unproven:
		return d.proven.Winner(mover), game.Proven
	case plies == s.opts.MaxPlies:
		return game.Draw, game.MoveLimit
	}
	return game.Undecided, game.NoReason
}

// resignation decides who resigns a game.
type resignation struct {
	opts  *Options
	bad   [2]int         // consecutive searches, by side, with a resignable value
	audit *samples.Audit // nil: a side that resigns ends the game
}

// resigns reports whether the side to move resigns. In an audited game it plays on, and
// the first resignation is recorded.
func (r *resignation) resigns(d *decision, side game.Side, ply int) bool {
	if r.opts.ResignAt == 0 {
		return false
	}
	if float64(d.rootQ) > -r.opts.ResignAt {
		r.bad[side] = 0
		return false
	}
	r.bad[side]++
	if r.bad[side] < r.opts.ResignTurns {
		return false
	}
	if r.audit != nil && r.audit.Resigns == samples.Nobody {
		r.audit.Resigns, r.audit.Ply = side.String(), ply
	}
	return r.audit == nil
}

// recorder turns the searches of one game into rows.
type recorder struct {
	enc     nn.Encoder
	deriver *samples.Deriver
	game    *samples.Record
	sides   []game.Side // to move, by row

	// Scratch of one row.
	searched []searchedMove
	actions  []uint16
	counts   []uint32
	target   []float32
}

func newRecorder(enc nn.Encoder) *recorder {
	return &recorder{enc: enc, deriver: samples.NewDeriver(enc)}
}

// start begins the record of a game.
func (w *recorder) start(id, seed uint64) {
	w.game = &samples.Record{Game: samples.Game{ID: id, Seed: seed}, Rows: samples.NewColumns(w.deriver.Layout)}
	w.sides = w.sides[:0]
}

// record adds the row of pos, ply moves into the game, with the result v of its search.
// finish enters what depends on the end of the game.
func (w *recorder) record(pos game.Position, ply int, v *decision) {
	row := w.deriver.Row(pos, []game.Move{v.move})
	w.sparse(pos, v.moves)
	row.Actions, row.Counts, row.Target = w.actions, w.counts, w.target
	row.RootQ, row.NetQ = v.rootQ, v.netQ
	row.Ply = uint16(ply)
	if v.full {
		row.FullSearch = 1
	}
	row.Proven = samples.ProvenCodes[v.proven]
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
	w.actions, w.counts, w.target = w.actions[:0], w.counts[:0], w.target[:0]
	for _, j := range w.searched {
		w.actions = append(w.actions, uint16(w.enc.Action(pos, j.move, 0)))
		w.counts = append(w.counts, j.visits)
		w.target = append(w.target, j.target)
	}
}

// finish enters the end of the game into its rows and returns the record, which the
// caller owns.
func (w *recorder) finish(format func(game.Position, []game.Move) string, start game.Position, moves []game.Move,
	outcome game.Outcome, reason game.Reason) *samples.Record {
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
