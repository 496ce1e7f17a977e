package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/openings"
	"github.com/carozero/carozero/nn"
)

// balance evaluates openings.
type balance interface {
	// ask asks for the value of a position that is not over and reports whether it is
	// known at once; if not, it is known after the evaluator's Wait.
	ask(ctx context.Context, pos game.Position) (answered bool, err error)

	// value returns the value asked for, -1..1 for the side to move.
	value() float64
}

// netBalance evaluates openings by the network's value, without a search.
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
	asked     bool        // its value was asked for
	answered  bool
}

// reset begins the draw for another game from start. The draw is a function of start and
// seed.
func (l *balancedOpening) reset(start game.Position, seed uint64) {
	l.start = start
	l.seed, l.asked = seed, false
	l.choice.Tolerance, l.choice.Tries = l.random.opts.MaxValue, l.random.opts.Tries
	l.choice.Reset()
}

// step returns the opening's moves, which are valid until the next reset, or false if it
// waits for the evaluator. It is an error if every draw gives a position that is over or
// won at once.
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
			moves, err := l.chosen(try)
			return moves, true, err
		}
		if err := l.draw(ctx, try); err != nil {
			return nil, false, err
		}
	}
}

// mostDraws bounds the draws of an opening that is open at all.
const mostDraws = 1000

// chosen returns the opening that the tries have come to; where none of them was open, the
// first open one of more draws, whatever its value.
func (l *balancedOpening) chosen(tries int) ([]game.Move, error) {
	if moves, ok := l.choice.Opening(); ok {
		return moves, nil
	}
	for ; tries < mostDraws; tries++ {
		if _, open := l.drawn(tries); open {
			return l.candidate, nil
		}
	}
	o := &l.random.opts
	return nil, fmt.Errorf("selfplay: none of %d random openings of %d to %d moves leaves the game open: use fewer moves", tries, o.MinPlies, o.MaxPlies)
}

// absorb takes in the result of the evaluator's Wait.
func (l *balancedOpening) absorb() { l.answered = true }

// draw draws the opening of a try and asks for its value if the game is not over.
func (l *balancedOpening) draw(ctx context.Context, try int) (err error) {
	pos, open := l.drawn(try)
	if !open {
		return nil
	}
	l.asked = true
	l.answered, err = l.balance.ask(ctx, pos)
	return err
}

// drawn draws the candidate of a try and returns the position after it, and whether that
// is open.
func (l *balancedOpening) drawn(try int) (pos game.Position, open bool) {
	rng := rand.New(rand.NewPCG(l.seed, uint64(try)))
	pos = l.start.Clone()
	l.candidate, open = l.random.draw(pos, l.candidate[:0], rng)
	return pos, open
}

// randomOpening draws the random moves that a game starts with.
type randomOpening struct {
	opts   Opening
	width  int // cells in a row of the board, 0 if moves are not cells
	drawer openings.Drawer
	wins   []game.Move // scratch
}

// draw plays random moves on pos, which it changes, and appends them to played. If moves
// are cells, they are near the stones of the game so far. It reports whether the game is
// neither over nor won at once; if it is, pos and the moves must not be used.
func (o *randomOpening) draw(pos game.Position, played []game.Move, rng *rand.Rand) ([]game.Move, bool) {
	if o.drawer.Refuse == nil {
		o.drawer.Refuse = o.winning
		if o.width > 0 {
			o.drawer.Candidates = o.near(pos.MaxMoves() / o.width).Moves
		}
	}
	plies := o.opts.MinPlies + rng.IntN(o.opts.MaxPlies-o.opts.MinPlies+1)
	return o.drawer.Draw(pos, plies, played, rng)
}

// near returns the neighbourhood of random moves on a board of that many rows.
func (o *randomOpening) near(rows int) openings.Near {
	return openings.Near{Columns: o.width, Distance: o.opts.Distance, Centre: [2]int{o.width - 1, rows - 1}}
}

// winning reports whether the side to move can win at once.
func (o *randomOpening) winning(pos game.Position) bool {
	o.wins = pos.Wins(o.wins[:0])
	return len(o.wins) > 0
}
