package nn

import (
	"context"
	"errors"

	"github.com/carozero/carozero/game"
)

// ErrClosed is the error of a network that was used after its Close.
var ErrClosed = errors.New("the network is closed")

// ErrModel is wrapped by every error that says a model does not suit: wrong
// inputs or outputs, another version of the planes, other rules or sizes.
var ErrModel = errors.New("unsuitable model")

// ErrBroken is wrapped by the error for an output that is not a finite number.
var ErrBroken = errors.New("the model is broken")

// Network is a model of any kind, ready to evaluate positions. Its methods may be
// called from any goroutine at any time. What only some networks can do is a further
// interface: [IncrementalNetwork], [BatchNetwork].
type Network interface {
	// Name says in error messages and reports which model this is.
	Name() string

	// SHA256 returns the digest of the model's file in hexadecimal digits, "" for a
	// network without a file, which knows nothing.
	SHA256() string

	// Metadata returns what the model says about itself.
	Metadata() Metadata

	// Suits returns nil if the network can evaluate the positions of v, or an error
	// wrapping ErrModel that says what was found and what is needed.
	Suits(v Variant) error

	// Evaluator returns a new evaluator of the positions of v. It fails where Suits
	// does, or if an option has no meaning.
	Evaluator(v Variant, o EvaluatorOptions) (Evaluator, error)

	// Exact reports whether results have the same bits on every machine. Those of
	// other networks have on one machine, with one device and one version of whatever
	// library computes them.
	Exact() bool

	// Close frees the network once nothing runs it any more. Closing it again does
	// nothing. A network that holds nothing but memory works on.
	Close() error
}

// Variant is a game with all that its rules leave open, as far as networks ask.
type Variant interface {
	// Start returns the position that games begin at, of the type that all positions
	// of the game have.
	Start() (game.Position, error)

	// Encoder returns a new encoder of positions.
	Encoder() (Encoder, error)

	// String names the variant for a person.
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

// BatchNetwork is a network as a [Batcher] runs it: it computes batches. Its methods
// may be called from any goroutine at any time; calls of Forward that run at the same
// time need batches of their own.
type BatchNetwork interface {
	// Name is that of the [Network].
	Name() string

	// ID identifies the function that the network computes: equal IDs mean
	// equal outputs for equal inputs, bit for bit. Caches depend on it.
	ID() uint64

	// Check returns nil if the network can evaluate what enc encodes, or an
	// error wrapping ErrModel that says what was found and what is needed.
	Check(enc Encoder) error

	// Forward reads the first b.Len() rows of the inputs and writes the same
	// rows of the outputs. It blocks. A row's output depends on that row's
	// input alone. After the network's Close it returns ErrClosed.
	Forward(ctx context.Context, b *Batch) error
}

// BatchEvaluator returns the [Network.Evaluator] of a network that computes batches: a
// [Batcher], behind a [Cache] if the options have a table. On a device, whose results
// may depend on the size of a batch, all batches have one size.
func BatchEvaluator(n BatchNetwork, v Variant, o EvaluatorOptions, device bool) (Evaluator, error) {
	enc, err := v.Encoder()
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

// Kind is a kind of networks in files.
type Kind struct {
	// Name is a word that the names of such files end in, after a point.
	Name string

	// Recognize reports whether a file is of this kind, by its first RecognizeBytes
	// bytes, or all of a shorter file.
	Recognize func(start []byte) bool

	// Incremental says that the networks are [IncrementalNetwork]s. Loading them needs
	// no library, and they hold nothing but memory.
	Incremental bool

	// Load loads a network from memory, which may be reused afterwards; name appears
	// in messages. Unless sha256 is empty the data must have that digest, in
	// hexadecimal digits. Errors are one line, and wrap ErrModel where the file is at
	// fault.
	Load func(name string, data []byte, sha256 string) (Network, error)

	// LoadFile is Load of a file, which gives the network its name. Messages have the
	// path. If there is a file with the digest beside it, it must have that digest.
	LoadFile func(path string) (Network, error)
}

// RecognizeBytes is how many bytes of a file [Kind.Recognize] gets at most.
const RecognizeBytes = 16
