package nn

import (
	"context"

	"github.com/carozero/carozero/game"
)

// Uniform is the evaluator without knowledge: equal priors and a certain
// draw. It answers in Add.
type Uniform struct {
	capacity int
	stats    Stats
}

// NewUniform returns a Uniform with the given Capacity, which must be
// positive; nothing ever waits for its Run.
func NewUniform(capacity int) *Uniform {
	if capacity < 1 {
		panic("nn: capacity below 1")
	}
	return &Uniform{capacity: capacity}
}

// Add implements [Evaluator]; it answers at once.
func (u *Uniform) Add(_ game.Position, _ []game.Move, out *Result) bool {
	u.stats.Evals++
	out.Win, out.Draw, out.Loss = 0, 1, 0
	p := 1 / float32(len(out.Priors))
	for i := range out.Priors {
		out.Priors[i] = p
	}
	return true
}

// Run implements [Evaluator]; there is nothing to compute.
func (u *Uniform) Run(ctx context.Context) error { return ctx.Err() }

// Capacity implements [Evaluator].
func (u *Uniform) Capacity() int { return u.capacity }

// Stats returns what was counted so far.
func (u *Uniform) Stats() Stats { return u.stats }
