package selfplay

import (
	"context"
	"math/rand/v2"

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
