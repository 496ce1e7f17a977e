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

var _ Evaluator = (*Uniform)(nil)

// NewUniform returns a Uniform with the given Capacity, which must be
// positive; nothing ever waits.
func NewUniform(capacity int) *Uniform {
	if capacity < 1 {
		panic("nn: capacity below 1")
	}
	return &Uniform{capacity: capacity}
}

// Tag implements [Evaluator]: only the number of moves decides the answer.
func (u *Uniform) Tag(game.Position) Tag { return Tag{} }

// Add implements [Evaluator]; it answers at once.
func (u *Uniform) Add(_ game.Position, _ Tag, _ []game.Move, out *Result) bool {
	u.stats.Evals++
	out.Win, out.Draw, out.Loss = 0, 1, 0
	p := 1 / float32(len(out.Priors))
	for i := range out.Priors {
		out.Priors[i] = p
	}
	return true
}

// Wait implements [Evaluator]; there is nothing to wait for.
func (u *Uniform) Wait(ctx context.Context, _ int) error { return ctx.Err() }

// Capacity implements [Evaluator].
func (u *Uniform) Capacity() int { return u.capacity }

// Stats implements [Evaluator].
func (u *Uniform) Stats() Stats { return u.stats }
