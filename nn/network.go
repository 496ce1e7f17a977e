package nn

import (
	"context"
	"errors"
	"fmt"

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
// returns a [Batcher], with a [Cache] around it if the options have a table. On a device,
// where results may depend on the batch size, all batches have the same size.
func BatchEvaluator(n BatchNetwork, v Variant, o EvaluatorOptions, device bool) (Evaluator, error) {
	enc, err := EncoderFor(n, v)
	if err != nil {
		return nil, err
	}
	if o.Capacity == 0 {
		o.Capacity = DefaultCapacity
	}
	if o.MaxBatch == 0 && device {
		o.MaxBatch = o.Capacity
	}
	e, err := NewBatcher(n, enc, BatcherOptions{
		Capacity: o.Capacity, MaxBatch: o.MaxBatch, Threads: o.Threads,
		Seed: o.Seed, Temperature: o.Temperature, FixedBatch: device, Clock: o.Clock,
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

	// Load loads a network from memory, which may be reused afterwards; name appears
	// in messages. Unless sha256 is empty, data must have that digest, in hexadecimal
	// digits. Errors are one line and wrap ErrModel if the file is at fault.
	Load func(name string, data []byte, sha256 string) (Network, error)

	// LoadFile is Load of a file, which gives the network its name. Errors name the
	// path. If there is a digest file beside it, the digest must match.
	LoadFile func(path string) (Network, error)
}

// RecognizeBytes is how many bytes of a file [Kind.Recognize] gets at most.
const RecognizeBytes = 16
