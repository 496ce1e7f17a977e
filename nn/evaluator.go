package nn

import (
	"context"

	"github.com/carozero/carozero/game"
)

// Result is what a network says about one position, seen from the side to
// move.
type Result struct {
	Win, Draw, Loss float32   // probabilities, summing to 1
	Priors          []float32 // one probability per legal move, in the order given to Add; they sum to 1
}

// Value returns the expected score in -1..1: Win - Loss.
func (r *Result) Value() float32 { return r.Win - r.Loss }

// Evaluator computes network results in two phases, so that any number of
// positions can share a batch. It belongs to one goroutine. Wrappers of the
// same type compose: a cache around a batcher around a session.
type Evaluator interface {
	// Add asks for the evaluation of pos, whose legal moves are given, not
	// empty and in ascending order. It reads pos and moves before it returns
	// and keeps neither. The caller sets out.Priors to a slice of len(moves)
	// and leaves out alone until the answer is there: Add returns true if it
	// answered at once (from a cache, or without a network), false if the
	// next Run will. At most Capacity positions may wait for a Run; one more
	// is a misuse and panics.
	Add(pos game.Position, moves []game.Move, out *Result) bool

	// Run computes everything that waits and blocks until it is written. On
	// an error, cancellation included, nothing waits any more and the
	// unanswered results hold no meaning.
	Run(ctx context.Context) error

	// Capacity returns how many positions may wait for a Run.
	Capacity() int
}
