package selfplay

import (
	"context"
	"fmt"
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

// phase is what a play waits for or does next.
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
	setup    *Setup
	opts     *Options
	eval     nn.Evaluator
	searcher *mcts.Searcher
	recorder *recorder
	opening  balancedOpening

	phase phase
	seed  uint64 // of the game
	pcg   rand.PCG
	rng   *rand.Rand

	start game.Position // of the game
	pos   game.Position
	moves []game.Move
	full  bool   // the search under way is a full one
	bad   [2]int // searches in a row, by side, that asked for resignation

	outcome game.Outcome
	reason  game.Reason
	result  mcts.Result // scratch
}

// newPlay returns a play without a game.
func newPlay(setup *Setup, opts *Options, eval nn.Evaluator, solver mcts.Solver, enc nn.Encoder) *play {
	p := &play{
		setup: setup, opts: opts, eval: eval,
		searcher: mcts.New(opts.Search, eval, solver),
		recorder: newRecorder(enc),
		opening: balancedOpening{
			random: randomOpening{opts: opts.Opening, width: setup.Columns}, eval: eval,
		},
	}
	p.rng = rand.New(&p.pcg)
	return p
}

// newGame begins game id.
func (p *play) newGame(id int) error {
	p.seed = samples.GameSeed(p.opts.Seed, uint64(id))
	p.recorder.start(uint64(id), p.seed)
	p.outcome, p.reason = game.Undecided, game.NoReason
	p.bad = [2]int{}
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

// step goes on until the game is over or waits for the evaluator, and
// reports whether it waits.
func (p *play) step(ctx context.Context) (waits bool, err error) {
	for err == nil {
		switch p.phase {
		case opening:
			moves, done := p.opening.step()
			if !done {
				return true, nil
			}
			err = p.begin(moves)
		case searching:
			if err = ctx.Err(); err != nil {
				return false, err
			}
			if p.searcher.Select() {
				return true, nil
			}
			if p.searcher.Done() {
				err = p.move()
			}
		default:
			return false, nil
		}
	}
	return false, err
}

// absorb takes in the results of the evaluator's Wait, which step asked for.
func (p *play) absorb() {
	if p.phase == opening {
		p.opening.absorb()
		return
	}
	p.searcher.Backup(nn.All)
}

// begin starts the first search, after the opening's moves.
func (p *play) begin(moves []game.Move) error {
	p.pos = p.start.Clone()
	p.moves = append(p.moves[:0], moves...)
	for _, m := range moves {
		p.pos.Play(m)
	}
	if err := p.searcher.SetPosition(p.pos); err != nil {
		return err
	}
	p.search()
	return nil
}

// search begins the search of the position.
func (p *play) search() {
	p.phase = searching
	p.pcg.Seed(p.seed^moveStream, uint64(len(p.moves)))
	p.full = p.opts.CheapPlayouts == 0 || p.rng.Float64() < p.opts.FullShare
	limits := mcts.Limits{Playouts: p.opts.CheapPlayouts}
	if p.full {
		limits = mcts.Limits{Playouts: p.opts.Playouts, Noise: true,
			Seed: samples.GameSeed(p.seed^noiseStream, uint64(len(p.moves)))}
	}
	p.searcher.Begin(context.Background(), limits)
}

// move ends the search: it records the position and plays, or ends the game.
// The move is the next number of the stream that decided the kind of search.
func (p *play) move() error {
	p.searcher.Result(&p.result)
	if p.resigns() {
		p.end(game.WinFor(p.pos.ToMove().Other()), game.Resigned)
		return nil
	}
	m := mcts.Pick(p.result.Children, p.opts.Temperature.At(len(p.moves)), p.rng)
	if m == game.NoMove {
		return fmt.Errorf("selfplay: a search of %d playouts found no move", p.result.Playouts)
	}
	weight := p.opts.CheapWeight
	if p.full {
		weight = 1
	}
	p.recorder.reply(p.pos, len(p.moves), m)
	if weight > 0 {
		if err := p.recorder.record(p.pos, len(p.moves), m, &p.result, p.full, weight); err != nil {
			return err
		}
	}
	mover := p.pos.ToMove()
	p.pos.Play(m)
	p.moves = append(p.moves, m)
	switch {
	case p.pos.Outcome() != game.Undecided:
		p.end(p.pos.Outcome(), p.pos.Reason())
	case p.opts.StopAtProof && p.full && p.result.Proven != mcts.Unknown:
		p.end(provenOutcome(p.result.Proven, mover), game.Proven)
	case len(p.moves) == p.opts.MaxPlies:
		p.end(game.Draw, game.MoveLimit)
	case p.opts.DropTree:
		if err := p.searcher.SetPosition(p.pos); err != nil {
			return err
		}
		p.search()
	default:
		if err := p.searcher.Advance(m); err != nil {
			return err
		}
		p.search()
	}
	return nil
}

// resigns reports whether the side to move gives up.
func (p *play) resigns() bool {
	if p.opts.ResignAt == 0 {
		return false
	}
	n := &p.bad[p.pos.ToMove()]
	if float64(p.result.RootQ) > -p.opts.ResignAt {
		*n = 0
		return false
	}
	*n++
	return *n >= p.opts.ResignTurns
}

// provenOutcome returns the outcome that a proof for side says.
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
	return p.recorder.finish(p.setup.Format, p.start, p.moves, p.outcome, p.reason)
}
