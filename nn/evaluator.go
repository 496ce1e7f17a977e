package nn

import (
	"context"
	"math"

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
// positions can share a batch: Add asks, Wait has the answers. It belongs to
// one goroutine. Wrappers of the same type compose: a cache around a batcher
// around a network.
type Evaluator interface {
	// Tag identifies the answer to pos. It is computed once for each question,
	// by whoever asks, and handed to Add, so that nobody on the way computes
	// the key of the position again.
	Tag(pos game.Position) Tag

	// Add asks for the evaluation of pos, whose Tag and legal moves are given,
	// the moves not empty and in ascending order. It reads pos and moves
	// before it returns and keeps neither. The caller sets out.Priors to a
	// slice of len(moves) and leaves out alone until the answer is there: Add
	// returns true if it answered at once (from a cache, or without a
	// network); otherwise the position waits until a Wait has counted it. At
	// most Capacity positions may wait; one more is a misuse and panics.
	Add(pos game.Position, tag Tag, moves []game.Move, out *Result) (answered bool)

	// Wait blocks until the n positions that have waited longest are answered,
	// or all if no more than n wait; these wait no more. How much of the rest
	// is computed meanwhile, and on which threads, is up to the evaluator. With
	// nothing to answer it returns the context's error. On an error,
	// cancellation included, nothing waits any more and the unanswered results
	// hold no meaning.
	Wait(ctx context.Context, n int) error

	// Capacity returns how many positions may wait.
	Capacity() int

	// Stats returns what was counted so far, wrapped evaluators included.
	Stats() Stats
}

// Instant is an Evaluator that answers at once, the value and the priors apart, so
// that a search asks for priors only where it needs them. What the two say is what
// Add says, bit for bit. Value counts as an evaluation, Priors does not.
type Instant interface {
	Evaluator

	// Value returns the Value of the Result that Add gives for pos.
	Value(pos game.Position) float32

	// Priors fills priors, one for each of the legal moves of pos, which are given
	// in ascending order and not empty.
	Priors(pos game.Position, moves []game.Move, priors []float32)
}

// All is a number for Wait that no evaluator's Capacity exceeds.
const All = math.MaxInt
