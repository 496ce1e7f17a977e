package selfplay

import (
	"context"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/openings"
	"github.com/carozero/carozero/nn"
)

// balance says what positions are worth.
type balance interface {
	// ask asks for the value of an open position and reports whether it is known
	// already; if not, it is after the evaluator's Wait.
	ask(ctx context.Context, pos game.Position) (answered bool, err error)

	// value returns the value that was asked for, -1..1, for the side to move.
	value() float64
}

// netBalance is the network's first opinion.
type netBalance struct {
	eval   nn.Evaluator
	answer nn.Result
}

func (b *netBalance) ask(_ context.Context, pos game.Position) (bool, error) {
	legal := pos.Moves(nil)
	b.answer.Priors = make([]float32, len(legal))
	return b.eval.Add(pos, b.eval.Tag(pos), legal, &b.answer), nil
}

func (b *netBalance) value() float64 { return float64(b.answer.Value()) }

// balancedOpening draws openings for a game until one is balanced.
type balancedOpening struct {
	random  randomOpening
	start   game.Position // only cloned
	balance balance

	seed      uint64
	choice    openings.Balanced
	candidate []game.Move // the opening last drawn
	asked     bool        // the balance is asked about it
	answered  bool
}

// reset begins the draw for another game, which begins at start; it is a function
// of both.
func (l *balancedOpening) reset(start game.Position, seed uint64) {
	l.start = start
	l.seed, l.asked = seed, false
	l.choice.Tolerance, l.choice.Tries = l.random.opts.MaxValue, l.random.opts.Tries
	l.choice.Reset()
}

// step returns the opening's moves, which are valid until the next reset, or
// false if it waits for the evaluator. They are none if every draw gave a game
// that was over or won at once.
func (l *balancedOpening) step(ctx context.Context) (moves []game.Move, done bool, err error) {
	for {
		if l.asked {
			if !l.answered {
				return nil, false, nil
			}
			l.asked = false
			l.choice.Judge(l.candidate, l.balance.value())
		}
		try, more := l.choice.Next()
		if !more {
			moves, _ = l.choice.Opening()
			return moves, true, nil
		}
		if err := l.draw(ctx, try); err != nil {
			return nil, false, err
		}
	}
}

// absorb takes in the answer of the evaluator's Wait, which step asked for.
func (l *balancedOpening) absorb() { l.answered = true }

// draw draws the opening of a try and asks what it is worth if its game goes on.
func (l *balancedOpening) draw(ctx context.Context, try int) (err error) {
	rng := rand.New(rand.NewPCG(l.seed, uint64(try)))
	pos := l.start.Clone()
	var open bool
	l.candidate, open = l.random.draw(pos, l.candidate[:0], rng)
	if !open {
		return nil
	}
	l.asked = true
	l.answered, err = l.balance.ask(ctx, pos)
	return err
}
