// Package nn is the seam between searches and neural networks: what a network
// takes and gives ([Network], [Encoder]), how a search asks for evaluations
// ([Evaluator]), and the wrappers between the two.
//
// Each kind of network has its own package with a [Kind], which recognizes and loads its
// files. Users of a [Network] do not depend on its kind. To add a kind, write a package
// that passes the checks of package nntest, and add it to the list of kinds in
// internal/networks.
//
// An evaluation travels through small pieces that compose:
//
//	search -> Cache -> Batcher or Queue -> onnx.Session
//
// [Cache] answers positions that were evaluated before. [Batcher] encodes positions into
// batches, computes these with a [BatchNetwork] and turns logits into probabilities. With
// one thread it computes while its caller waits. With more threads it computes while its
// caller continues, which keeps all threads busy with a single search. On a [Device] a
// [Queue] does the same for all goroutines of the process together. [Uniform] and [Mock]
// are evaluators without batches.
//
// Everything an evaluator answers is a pure function of the position, the
// model, and the options, which a [Tag] covers: neither batch sizes nor
// threads nor the order of the questions can change a result.
package nn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carozero/carozero/game"
)

// ErrClosed is the error of a network that was used after its Close.
var ErrClosed = errors.New("the network is closed")

// ErrModel is wrapped by every error about an unsuitable or damaged model: wrong inputs
// or outputs, another version of the planes, other rules or sizes.
var ErrModel = errors.New("unsuitable model")

// ErrBroken is wrapped by the error for an output that is not a finite number.
var ErrBroken = errors.New("the model is broken")

// Network is a loaded model of any kind. Its methods are safe for concurrent use. Further
// abilities of some networks are separate interfaces: [IncrementalNetwork],
// [BatchNetwork].
type Network interface {
	// Name is the model's name in error messages and reports.
	Name() string

	// SHA256 returns the digest of the model's file in hexadecimal digits, "" for the
	// uniform network, which has no file.
	SHA256() string

	// Metadata returns what the model says about itself.
	Metadata() Metadata

	// Suits returns nil if the network can evaluate the positions of v, or an error
	// wrapping ErrModel that says what was found and what is needed.
	Suits(v Variant) error

	// Evaluator returns a new evaluator of the positions of v. It fails where Suits
	// does, or if an option is invalid.
	Evaluator(v Variant, o EvaluatorOptions) (Evaluator, error)

	// Exact reports whether results have the same bits on every machine. Otherwise they
	// have the same bits on one machine, with one device and version of the library
	// that computes them.
	Exact() bool

	// Close waits for running computations and frees the network. Closing it again does
	// nothing. A network that holds only memory stays usable.
	Close() error
}

// Variant is a game with its rule set, board size and other parameters, as far as
// networks need them.
type Variant interface {
	// Start returns the starting position. All positions of the game have its type.
	Start() (game.Position, error)

	// Encoder returns a new encoder of positions by that version of the input planes, the
	// game's usual one for "". The error for a version that the game does not have wraps
	// ErrModel and names those that it has.
	Encoder(version string) (Encoder, error)

	// String names the variant in messages.
	String() string
}

// IncrementalNetwork is a network that a classical search can use as its evaluation:
// it is updated from move to move and answers in microseconds, without an Evaluator.
type IncrementalNetwork interface {
	Network

	// BoardEvaluator returns an evaluator bound to a board of a variant that Suits
	// accepts. It panics unless the board has the type that the game's classical
	// search plays on.
	BoardEvaluator(board game.Position) BoardEvaluator
}

// BoardEvaluator evaluates the current position of one board. It belongs to one
// goroutine and allocates nothing.
type BoardEvaluator interface {
	// Odds returns the log odds that the side to move wins, a draw counting as half
	// a win: ln((win + draw/2) / (loss + draw/2)), in units of 2^-OddsBits.
	Odds() int32

	// PolicyAt computes the policy logits of one or more legal moves, in units of
	// 2^-PolicyBits; only their differences count.
	PolicyAt(moves []game.Move, logits []int32)
}

// Fraction bits of the results of a [BoardEvaluator].
const (
	OddsBits   = 16
	PolicyBits = 15
)

// BatchNetwork is a network that computes batches, for a [Batcher]. Its methods are safe
// for concurrent use; concurrent calls of Forward need different batches.
type BatchNetwork interface {
	// Name is the name of the [Network].
	Name() string

	// ID identifies the function that the network computes: equal IDs mean
	// equal outputs for equal inputs, bit for bit. Caches depend on it.
	ID() uint64

	// Planes is the version of the input planes that the network reads.
	Planes() string

	// Check returns nil if the network can evaluate what enc encodes, or an
	// error wrapping ErrModel that says what was found and what is needed.
	Check(enc Encoder) error

	// Forward reads the first b.Len() rows of the inputs and writes the same rows of
	// the outputs. It blocks. A row's output depends only on that row's input. After
	// Close it returns ErrClosed.
	Forward(ctx context.Context, b *Batch) error
}

// BatchEvaluator implements [Network.Evaluator] for a network that computes batches: it
// returns a [Batcher], with a [Cache] around it if the options have a table.
func BatchEvaluator(n BatchNetwork, v Variant, o EvaluatorOptions) (Evaluator, error) {
	enc, err := EncoderFor(n, v)
	if err != nil {
		return nil, err
	}
	e, err := NewBatcher(n, enc, BatcherOptions{
		Capacity: o.Capacity, MaxBatch: o.MaxBatch, Threads: o.Threads,
		Seed: o.Seed, Temperature: o.Temperature, Clock: o.Clock,
	})
	if err != nil {
		return nil, err
	}
	if o.Cache == nil {
		return e, nil
	}
	return NewCache(e, o.Cache), nil
}

// EncoderFor returns a new encoder of positions of v by the input planes that n reads. It
// fails, naming n, where v has no such planes.
func EncoderFor(n BatchNetwork, v Variant) (Encoder, error) {
	enc, err := v.Encoder(n.Planes())
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", n.Name(), err)
	}
	return enc, nil
}

// Kind is a file format of networks.
type Kind struct {
	// Name is the extension of such files, without the dot.
	Name string

	// Recognize reports whether a file is of this kind, by its first RecognizeBytes
	// bytes, or all of a shorter file.
	Recognize func(start []byte) bool

	// Incremental says that the networks are [IncrementalNetwork]s. Loading them needs
	// no library, and they hold nothing but memory.
	Incremental bool

	// Load loads a network from memory, which may be reused afterwards. Messages name it by
	// path, whose last element becomes its name. Unless sha256 is empty, data must have that
	// digest, in hexadecimal digits. Errors are one line and wrap ErrModel if the file is at
	// fault.
	Load func(path string, data []byte, sha256 string) (Network, error)
}

// RecognizeBytes is how many bytes of a file [Kind.Recognize] gets at most.
const RecognizeBytes = 16

// Defaults of BatcherOptions.
const (
	DefaultCapacity = 64
	DefaultMaxBatch = 8 // on one thread
)

// BatcherOptions configures a [Batcher]. The zero value works.
type BatcherOptions struct {
	Capacity int // positions that may wait; 0: DefaultCapacity
	Threads  int // batches computed at the same time; 0: 1

	// MaxBatch is the largest number of rows of a batch, at most Capacity. 0:
	// DefaultMaxBatch on one thread; 1 on several, over which single positions are
	// distributed best.
	MaxBatch int

	Seed        uint64  // of the symmetries under which positions are encoded
	Temperature float32 // divides the policy logits before the softmax; 0: 1

	// Clock times the calls of Forward for Stats; nil times nothing.
	Clock func() time.Time
}

// EvaluatorOptions configures the evaluator of a [Network]. The zero value works. A
// network that answers at once ignores the options about batches and caches.
type EvaluatorOptions struct {
	Capacity int // positions that may wait; 0: DefaultCapacity
	Threads  int // that compute batches; 0: 1

	// MaxBatch is the largest number of rows of a batch; 0: as BatcherOptions says. On a
	// [Device] all batches have this size; 0: its Batch with a Turn, else its Small.
	MaxBatch int

	Seed  uint64
	Cache *CacheTable // of results; nil: none
	Clock func() time.Time

	// Turn is that of the goroutine that uses the evaluator, if a [Device] computes; nil:
	// none. Device says which of several devices does, modulo their number.
	Turn   *Turn
	Device int

	// Temperature divides the policy logits, in addition to the model's own; 0: 1.
	Temperature float32
}

// withDefaults returns o with each zero replaced by its default, or an error that names
// the invalid option.
func (o BatcherOptions) withDefaults() (BatcherOptions, error) {
	switch {
	case o.Capacity < 0 || o.MaxBatch < 0 || o.Threads < 0:
		return o, fmt.Errorf("capacity %d, batch %d, threads %d: none may be negative", o.Capacity, o.MaxBatch, o.Threads)
	case !(o.Temperature >= 0 && o.Temperature <= 1000):
		return o, fmt.Errorf("policy temperature %v: want 0 to 1000", o.Temperature)
	}
	o.Capacity = cmp.Or(o.Capacity, DefaultCapacity)
	o.Threads = cmp.Or(o.Threads, 1)
	o.Temperature = cmp.Or(o.Temperature, 1)
	if o.MaxBatch == 0 {
		o.MaxBatch = 1
		if o.Threads == 1 {
			o.MaxBatch = DefaultMaxBatch
		}
	}
	o.MaxBatch = min(o.MaxBatch, o.Capacity)
	return o, nil
}

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
