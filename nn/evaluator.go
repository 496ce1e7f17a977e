package nn

import (
	"context"
	"math"
	"time"

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

// Shape gives the sizes of a network's inputs and outputs for one game and
// board size.
type Shape struct {
	Planes  int // binary input planes
	Height  int // rows of a plane
	Width   int // columns of a plane
	Globals int // scalar inputs
	Actions int // entries of the policy output
}

// PlaneSize returns the number of float32 values that the planes of one
// position take: Planes*Height*Width.
func (s Shape) PlaneSize() int { return s.Planes * s.Height * s.Width }

// Key identifies the input of a network: two positions of one encoder with
// equal keys have equal planes, globals, legal moves and actions.
type Key [2]uint64

// Encoder turns positions of one game, rule set and board size into the input
// of a network. It belongs to the game and to a version of the input planes.
// An Encoder holds scratch memory: it belongs to one goroutine; Clone makes
// another.
type Encoder interface {
	// Shape returns the sizes, which never change.
	Shape() Shape

	// Version names the planes' version, as in a model's metadata: "gomoku-1". A game
	// may have several versions side by side; [Variant] has their encoders.
	Version() string

	// Symmetries returns the number of symmetries that Encode and Action
	// accept, numbered from 0, the identity.
	Symmetries() int

	// Encode writes the input of pos, transformed by the symmetry sym, to
	// planes [Planes, Height, Width] and globals [Globals]; every value is
	// overwritten. Values are seen from the side to move.
	Encode(pos game.Position, sym int, planes, globals []float32)

	// Action returns the policy index, in 0..Actions-1, of m, a legal move of pos,
	// under the symmetry sym. Different moves of a position have different indices.
	Action(pos game.Position, m game.Move, sym int) int

	// Key covers exactly what Encode reads, including rule set and size. Symmetric
	// positions have different keys.
	Key(pos game.Position) Key

	// Clone returns an Encoder for another goroutine.
	Clone() Encoder
}

// Tag identifies an answer of an [Evaluator]: for positions with equal legal
// moves, equal tags mean equal answers, bit for bit.
type Tag struct {
	Key    Key    // of the input
	Source uint64 // what else decides the answer: model, symmetry and options
}

// Symmetry returns the symmetry, in 0..count-1, under which the position with the given
// key is encoded: a hash of seed and key.
func Symmetry(seed uint64, key Key, count int) int {
	if count <= 1 {
		return 0
	}
	h := chain(chain(chain(0x73796d, seed), key[0]), key[1])
	return int(h >> 32 * uint64(count) >> 32)
}

// mix64 is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, 2014): a bijection whose output bits all
// depend on all input bits.
func mix64(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// chain folds x into the hash h; the order of the folds matters.
func chain(h, x uint64) uint64 {
	return mix64(h + 0x9e3779b97f4a7c15 ^ mix64(x+0x9e3779b97f4a7c15))
}

// Stats are the counts of an evaluator. Only Evals, and Hits of an unshared cache, are
// reproducible; the others depend on batching and on the machine.
type Stats struct {
	Evals   uint64        // positions computed by a network, or by Uniform or Mock
	Hits    uint64        // positions answered from a cache
	Batches uint64        // calls of BatchNetwork.Forward
	Forward time.Duration // time spent inside BatchNetwork.Forward, summed over threads; 0 without a clock
}

// Plus returns the sum of s and t.
func (s Stats) Plus(t Stats) Stats {
	return Stats{
		Evals:   s.Evals + t.Evals,
		Hits:    s.Hits + t.Hits,
		Batches: s.Batches + t.Batches,
		Forward: s.Forward + t.Forward,
	}
}

// Minus returns s less t.
func (s Stats) Minus(t Stats) Stats {
	return Stats{
		Evals:   s.Evals - t.Evals,
		Hits:    s.Hits - t.Hits,
		Batches: s.Batches - t.Batches,
		Forward: s.Forward - t.Forward,
	}
}

// HitRate returns the share of all answers that came from the cache, in 0..1.
func (s Stats) HitRate() float64 {
	if s.Hits == 0 {
		return 0
	}
	return float64(s.Hits) / float64(s.Hits+s.Evals)
}
