package engine

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A search that looks at Err ends when its time is over or its context is cancelled, whatever
// the timer of the context does.
func TestErrReadsTheClock(t *testing.T) {
	at := func(d time.Duration) time.Time { return time.Now().Add(d) }

	ctx, cancel := SystemTime{}.WithDeadline(t.Context(), at(time.Hour))
	if err := ctx.Err(); err != nil {
		t.Errorf("an hour before the deadline: %v", err)
	}
	cancel()
	if err := ctx.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v, want %v", err, context.Canceled)
	}

	parent, cancelParent := context.WithCancel(t.Context())
	ctx, cancel = SystemTime{}.WithDeadline(parent, at(time.Hour))
	defer cancel()
	cancelParent()
	if err := ctx.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel of its parent: %v, want %v", err, context.Canceled)
	}

	// A timer that has not fired, on a machine with too much to do.
	late := punctual{t.Context(), at(-time.Millisecond)}
	if err := late.Err(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("past the deadline, with Done open: %v, want %v", err, context.DeadlineExceeded)
	}
	select {
	case <-late.Done():
		t.Error("the timer has fired: nothing was tested")
	default:
	}
}
