package nn

import (
	"cmp"
	"context"

	"github.com/carozero/carozero/game"
)

// UniformNetwork is a network without knowledge: it evaluates every game by [Uniform].
type UniformNetwork struct{}

var _ Network = UniformNetwork{}

// UniformName is the name of the uniform network.
const UniformName = "uniform"

// Name implements [Network].
func (UniformNetwork) Name() string { return UniformName }

// SHA256 implements [Network]: there is no file.
func (UniformNetwork) SHA256() string { return "" }

// Metadata implements [Network]: nothing is claimed.
func (UniformNetwork) Metadata() Metadata { return Metadata{Temperature: 1} }

// Suits implements [Network].
func (UniformNetwork) Suits(Variant) error { return nil }

// Evaluator implements [Network].
func (UniformNetwork) Evaluator(_ Variant, o EvaluatorOptions) (Evaluator, error) {
	return NewUniform(cmp.Or(o.Capacity, DefaultCapacity)), nil
}

// Exact implements [Network].
func (UniformNetwork) Exact() bool { return true }

// Close implements [Network].
func (UniformNetwork) Close() error { return nil }

// Uniform is an evaluator without knowledge: equal priors and a certain draw. It answers
// in Add.
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
