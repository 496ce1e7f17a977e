package engine

import (
	"context"
	"errors"
	"testing"
	"time"
)

// The time of a turn or a game that goes by is taken off its clock, and what has run
// out is not taken for unlimited.
func TestClockAfter(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name        string
		clock, want Clock
	}{
		{"unlimited", Clock{}, Clock{}},
		{"a turn", Clock{Turn: 5 * s}, Clock{Turn: 3 * s}},
		{"a game", Clock{Left: 60 * s, Increment: s, Moves: 3}, Clock{Left: 58 * s, Increment: s, Moves: 3}},
		{"both", Clock{Turn: 5 * s, Left: 60 * s}, Clock{Turn: 3 * s, Left: 58 * s}},
		{"all of it", Clock{Turn: 2 * s, Left: 2 * s}, Clock{Turn: 1, Left: 1}},
		{"more than there was", Clock{Turn: s, Left: s}, Clock{Turn: 1, Left: 1}},
	} {
		if got := c.clock.After(2 * s); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

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
	late := punctual{t.Context(), t.Context(), at(-time.Millisecond)}
	if err := late.Err(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("past the deadline, with Done open: %v, want %v", err, context.DeadlineExceeded)
	}
	select {
	case <-late.Done():
		t.Error("the timer has fired: nothing was tested")
	default:
	}
}
