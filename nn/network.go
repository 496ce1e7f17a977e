package nn

import (
	"context"
	"errors"
)

// ErrClosed is the error of a network that was used after its Close.
var ErrClosed = errors.New("the network is closed")

// ErrModel is wrapped by every error that says a model does not suit: wrong
// inputs or outputs, another version of the planes, other rules or sizes.
var ErrModel = errors.New("unsuitable model")

// ErrBroken is wrapped by the error for an output that is not a finite number.
var ErrBroken = errors.New("the model is broken")

// Network computes batches. Its methods may be called from any goroutine at
// any time; calls of Forward that run at the same time need batches of their
// own.
type Network interface {
	// Name says in error messages and reports which model this is.
	Name() string

	// ID identifies the function that the network computes: equal IDs mean
	// equal outputs for equal inputs, bit for bit. Caches depend on it.
	ID() uint64

	// Check returns nil if the network can evaluate what enc encodes, or an
	// error wrapping ErrModel that says what was found and what is needed.
	Check(enc Encoder) error

	// Forward reads the first b.Len() rows of the inputs and writes the same
	// rows of the outputs. It blocks. A row's output depends on that row's
	// input alone.
	Forward(ctx context.Context, b *Batch) error

	// Close frees the network once every running Forward has returned. Later
	// calls of Forward return ErrClosed, later calls of Close nil.
	Close() error
}
