package nn

import (
	"context"
	"math"

	"github.com/carozero/carozero/game"
)

// Result is a network's evaluation of one position, for the side to move.
type Result struct {
	Win, Draw, Loss float32   // probabilities, summing to 1
	Priors          []float32 // one probability per legal move, in the order given to Add; they sum to 1
}

// Value returns the expected score in -1..1: Win - Loss.
func (r *Result) Value() float32 { return r.Win - r.Loss }

// Evaluator evaluates positions in two phases, so that they can share a batch: Add
// queues a position, Wait delivers results. It belongs to one goroutine. Evaluators can
// wrap each other: a cache around a batcher around a network.
type Evaluator interface {
	// Tag identifies the result of pos. The caller computes it once and passes it to
	// Add, so that wrappers do not compute the key again.
	Tag(pos game.Position) Tag

	// Add asks for the evaluation of pos, with its Tag and its legal moves, which are
	// not empty and ascend. It keeps neither pos nor moves. The caller sets out.Priors
	// to a slice of len(moves) and does not touch out until the result has arrived:
	// when Add returns true (from a cache, or without a network), or else after a Wait
	// that includes the position. At most Capacity positions may wait; one more panics.
	Add(pos game.Position, tag Tag, moves []game.Move, out *Result) (answered bool)

	// Wait blocks until the n oldest waiting positions have their results, or all if
	// there are no more. The evaluator may compute others meanwhile, on any thread. If
	// no position waits, Wait returns the context's error. After an error, cancellation
	// included, no position waits any more and the missing results are undefined.
	Wait(ctx context.Context, n int) error

	// Capacity returns how many positions may wait.
	Capacity() int

	// Stats returns the counts so far, including those of wrapped evaluators.
	Stats() Stats
}

// Instant is an Evaluator that answers at once and computes value and priors
// separately, so that a search can ask for priors only where it needs them. Both give
// the same bits as Add. Value counts as an evaluation, Priors does not.
type Instant interface {
	Evaluator

	// Value returns the Value of the Result that Add gives for pos.
	Value(pos game.Position) float32

	// Priors fills priors, one for each legal move of pos; moves are not empty and
	// ascend.
	Priors(pos game.Position, moves []game.Move, priors []float32)
}

// All is a number for Wait that no evaluator's Capacity exceeds.
const All = math.MaxInt
