package engine

import (
	"context"
	"time"
)

// Time is a source of time.
type Time interface {
	// Now returns the current time; only differences matter.
	Now() time.Time

	// WithDeadline is context.WithDeadline measured by this source.
	WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc)
}

// SystemTime is the real time.
type SystemTime struct{}

// Now returns time.Now.
func (SystemTime) Now() time.Time { return time.Now() }

// WithDeadline returns context.WithDeadline with an Err that reads the clock: on a busy
// machine the timer that ends a context can be very late.
func (SystemTime) WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithDeadline(ctx, at)
	return punctual{ctx, at}, cancel
}

// punctual is a context whose Err is DeadlineExceeded from its deadline on, even before
// Done is closed.
type punctual struct {
	context.Context
	at time.Time
}

// Err implements context.Context.
func (p punctual) Err() error {
	if err := p.Context.Err(); err != nil {
		return err
	}
	if !time.Now().Before(p.at) {
		return context.DeadlineExceeded
	}
	return nil
}
