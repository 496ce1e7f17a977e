package selfplay

import (
	"math"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
)

// balancedOpening draws openings for a game until the net calls one balanced.
type balancedOpening struct {
	random randomOpening
	start  game.Position // only cloned
	eval   nn.Evaluator

	seed      uint64
	tries     int
	candidate []game.Move // the opening last drawn
	asked     bool        // the net is asked about it
	answered  bool
	answer    nn.Result
	best      []game.Move // the most balanced so far
	bestValue float64     // its distance from balance
}

// reset begins the draw for another game, which begins at start; it is a function
// of both.
func (l *balancedOpening) reset(start game.Position, seed uint64) {
	l.start = start
	l.seed, l.tries, l.asked = seed, 0, false
	l.best, l.bestValue = l.best[:0], math.Inf(1)
}

// step returns the opening's moves, which are valid until the next reset, or
// false if it waits for the evaluator. If nothing is balanced after the
// last try, the opening is the most balanced one; it has no moves if every
// draw gave a game that was over or won at once.
func (l *balancedOpening) step() (moves []game.Move, done bool) {
	opts := &l.random.opts
	for {
		if l.asked {
			if !l.answered {
				return nil, false
			}
			l.judge()
		}
		if l.bestValue <= opts.MaxValue || l.tries == opts.Tries {
			return l.best, true
		}
		l.draw()
	}
}

// absorb takes in the answer of the evaluator's Wait, which step asked for.
func (l *balancedOpening) absorb() { l.answered = true }

// draw draws an opening and asks the net about it if its game goes on.
func (l *balancedOpening) draw() {
	rng := rand.New(rand.NewPCG(l.seed, uint64(l.tries)))
	l.tries++
	pos := l.start.Clone()
	var open bool
	l.candidate, open = l.random.draw(pos, l.candidate[:0], rng)
	if !open {
		return
	}
	legal := pos.Moves(nil)
	l.answer.Priors = make([]float32, len(legal))
	l.asked = true
	l.answered = l.eval.Add(pos, l.eval.Tag(pos), legal, &l.answer)
}

// judge keeps the candidate if it is the most balanced so far.
func (l *balancedOpening) judge() {
	l.asked = false
	if v := math.Abs(float64(l.answer.Value())); v < l.bestValue {
		l.best, l.bestValue = append(l.best[:0], l.candidate...), v
	}
}
