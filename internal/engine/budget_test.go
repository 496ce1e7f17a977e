package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
)

// What a game's clock is divided into, to the nanosecond: what is kept for the moves
// that can still come, and what goes into this one.
func TestIterationsOfAGame(t *testing.T) {
	const ms = time.Millisecond
	us := func(n int) time.Duration { return time.Duration(n) * time.Microsecond }
	for _, c := range []struct {
		name  string
		clock Clock
		want  Budget
	}{
		// 100 moves of 5 ms and 1 ms each are kept; the 32nd part of 400 ms.
		{"a match", Clock{Left: 1000 * ms, Timekeeper: Referee}, Budget{Soft: us(12_500), Hard: us(63_500)}},
		{"its 13th move", Clock{Left: 1000 * ms, Moves: 12, Timekeeper: Referee}, Budget{Soft: 20 * ms, Hard: 101 * ms}},
		{"a long game", Clock{Left: 1000 * ms, Moves: 90, Timekeeper: Referee}, Budget{Soft: 400 * ms / 12, Hard: ms + 5*(400*ms/12)}},
		{"most of it by increments", Clock{Left: 1000 * ms, Increment: 1000 * ms, Timekeeper: Referee}, Budget{Soft: 201 * ms, Hard: 201 * ms}},
		{"a dialogue", Clock{Left: 2000 * ms, Timekeeper: Manager}, Budget{Soft: us(12_500), Hard: us(63_500)}},
		{"nothing free", Clock{Left: 600 * ms, Timekeeper: Referee}, Budget{Soft: ms, Hard: ms}},
		{"hardly anything free", Clock{Left: 664 * ms, Timekeeper: Referee}, Budget{Soft: 2 * ms, Hard: 11 * ms}},
	} {
		if got := c.clock.Iterative(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// No move takes more than four fifths of the game's time, whatever comes after it, and
// what has run out is a time still.
func TestAnytimeOfAGame(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name  string
		clock Clock
		want  Budget
	}{
		{"most of it by increments", Clock{Left: 1000 * ms, Increment: 10_000 * ms, Timekeeper: Referee}, Budget{Hard: 800 * ms, Reserve: 100 * ms}},
		{"in a dialogue", Clock{Left: 1000 * ms, Increment: 10_000 * ms, Timekeeper: Manager}, Budget{Hard: 770 * ms, Reserve: 15 * ms}},
		{"a time to search that has run out", Clock{Turn: 1}, Budget{Hard: 1}},
		{"a microsecond to search", Clock{Turn: time.Microsecond}, Budget{Hard: time.Microsecond}},
	} {
		if got := c.clock.Anytime(); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	if got := (Clock{Turn: 1}).Iterative(); got != (Budget{Hard: 1}) {
		t.Errorf("a time to search in iterations that has run out: %+v", got)
	}
}

// A turn and the game's time bound each other.
func TestLimit(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		clock   Clock
		want    time.Duration
		limited bool
	}{
		{Clock{}, 0, false},
		{Clock{Increment: s}, 0, false},
		{Clock{Turn: s}, s, true},
		{Clock{Left: s}, s, true},
		{Clock{Turn: s, Left: 2 * s}, s, true},
		{Clock{Turn: 2 * s, Left: s}, s, true},
		{Clock{Turn: 1}, 0, true},
		{Clock{Left: 1}, 0, true},
		{Clock{Turn: s + 1999}, s + 1000, true},
	} {
		if got, limited := c.clock.Limit(); got != c.want || limited != c.limited || c.clock.Limited() != limited {
			t.Errorf("%+v: %v, %t, want %v, %t", c.clock, got, limited, c.want, c.limited)
		}
	}
}

// Ends that are next to nothing away keep their sign.
func TestSigned(t *testing.T) {
	for _, c := range []struct {
		proof Proof
		want  int
	}{
		{Proof{Win, 0, false}, 1}, {Proof{Win, 1, false}, 1}, {Proof{Win, 2, false}, 2},
		{Proof{Loss, 0, false}, -1}, {Proof{Loss, 1, false}, -1}, {Proof{Loss, 2, false}, -2},
		{Proof{Draw, 3, false}, 0}, {Proof{Unknown, 3, false}, 0},
	} {
		if got := c.proof.Signed(); got != c.want {
			t.Errorf("%+v: %d, want %d", c.proof, got, c.want)
		}
	}
}

// told answers, and ends its context first if there is a way to.
type told struct {
	Engine
	err error
	end context.CancelFunc
}

func (e told) Think(context.Context, game.Position, Limits) (*Answer, error) {
	if e.end != nil {
		e.end()
	}
	return &Answer{Move: 7}, e.err
}

// A caller that has no use for half an answer learns that it is one.
func TestComplete(t *testing.T) {
	if a, err := Complete(t.Context(), told{}, nil, Limits{}); err != nil || a.Move != 7 {
		t.Errorf("%+v, %v", a, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := Complete(ctx, told{end: cancel}, nil, Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	broken := errors.New("broken")
	if _, err := Complete(ctx, told{err: broken}, nil, Limits{}); !errors.Is(err, broken) {
		t.Errorf("an engine's own error: %v", err)
	}
}
