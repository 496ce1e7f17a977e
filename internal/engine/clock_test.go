package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"pgregory.net/rapid"
)

// drawDuration returns a duration within bounds in milliseconds.
func drawDuration(t *rapid.T, low, high int, name string) time.Duration {
	return time.Duration(rapid.IntRange(low, high).Draw(t, name)) * time.Millisecond
}

// No sequence of moves that each take what they may oversteps the clock, as
// long as it can hold the overhead of all moves and a millisecond for each.
func TestClockLasts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 180).Draw(t, "most")
		overhead := drawDuration(t, 1, 50, "overhead")
		increment := drawDuration(t, 0, 2000, "increment")
		left := time.Duration(most)*(overhead+time.Millisecond) + drawDuration(t, 0, 300_000, "left")
		turn := drawDuration(t, 0, 10_000, "turn")
		for n := range most {
			c := Clock{Turn: turn, Left: left, Increment: increment, Moves: n}
			b := c.iterative(overhead, most-n)
			if b.Soft > b.Hard || b.Hard < time.Millisecond {
				t.Fatalf("move %d: %+v from %+v", n, b, c)
			}
			if turn > 0 && b.Hard > max(turn-overhead, time.Millisecond) {
				t.Fatalf("move %d: %v of a turn of %v", n, b.Hard, turn)
			}
			took := b.Hard
			if rapid.Bool().Draw(t, "early") {
				took = time.Duration(rapid.Int64Range(0, int64(b.Hard)).Draw(t, "took"))
			}
			left -= took + time.Duration(rapid.Int64Range(0, int64(overhead)).Draw(t, "outside"))
			if left < 0 {
				t.Fatalf("move %d: %v over the clock after %+v", n, -left, b)
			}
			left += increment
		}
	})
}

// Whatever is asked, a move gets some time, no more than there is where that is
// enough for one, and unlimited play has no limit.
func TestBudgetsAreTotal(t *testing.T) {
	if a, b := (Clock{}).Anytime(), (Clock{}).Iterative(); a != (Budget{}) || b != (Budget{}) {
		t.Errorf("%+v and %+v without any clock", a, b)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := Clock{
			Turn: drawDuration(t, 0, 5000, "turn"), Left: drawDuration(t, 0, 100_000, "left"),
			Increment: drawDuration(t, 0, 1000, "increment"), Moves: rapid.IntRange(0, 300).Draw(t, "moves"),
			Timekeeper: Timekeeper(rapid.IntRange(int(Unmeasured), int(Manager)).Draw(t, "timekeeper")),
		}.After(drawDuration(t, 0, 2000, "passed"))
		limit, limited := c.Limit()
		if limited != c.Limited() || c.Turn > 0 && limit > c.Turn || c.Left > 0 && limit > c.Left {
			t.Fatalf("%+v: limit %v, %t", c, limit, limited)
		}
		for _, b := range []Budget{c.Anytime(), c.Iterative()} {
			if limited != (b.Hard > 0) || b.Soft > b.Hard || b.Reserve < 0 || b.Reserve > b.Hard {
				t.Fatalf("%+v from %+v", b, c)
			}
			if b.Hard+2*b.Reserve > max(limit, time.Millisecond) {
				t.Fatalf("%+v of a limit of %v", b, limit)
			}
		}
	})
}

func TestBudgetExamples(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	for _, c := range []struct {
		name string
		got  Budget
		want Budget
	}{
		{"a time to search", Clock{Turn: s}.Anytime(), Budget{Hard: s}},
		{"a time to search in iterations", Clock{Turn: s}.Iterative(), Budget{Hard: s}},
		{"nothing is saved for within a turn", Clock{Turn: 200 * ms, Timekeeper: Referee}.Iterative(),
			Budget{Hard: 195 * ms}},
		{"nor in a dialogue", Clock{Turn: 200 * ms, Timekeeper: Manager}.Iterative(), Budget{Hard: 185 * ms}},
		{"run out", Clock{Left: 1, Timekeeper: Referee}.Iterative(), Budget{Hard: ms, Soft: ms}},
		{"a turn of a match", Clock{Turn: s, Timekeeper: Referee}.Anytime(), Budget{Hard: 900 * ms, Reserve: 50 * ms}},
		{"a game of a match", Clock{Left: 60 * s, Increment: s, Timekeeper: Referee}.Anytime(),
			Budget{Hard: 3750 * ms, Reserve: 3750 * ms}},
		{"its end", Clock{Left: 1, Timekeeper: Referee}.Anytime(), Budget{Hard: 1}},
		{"a turn of a dialogue", Clock{Turn: s, Timekeeper: Manager}.Anytime(), Budget{Hard: 920 * ms, Reserve: 15 * ms}},
		{"a short one", Clock{Turn: 40 * ms, Timekeeper: Manager}.Anytime(), Budget{Hard: 20 * ms, Reserve: 10 * ms}},
		{"a game of a dialogue", Clock{Left: 50 * s, Increment: 400 * ms, Timekeeper: Manager}.Anytime(),
			Budget{Hard: 2300 * ms, Reserve: 15 * ms}},
		{"the game's time within a long turn", Clock{Turn: 30 * s, Left: 50 * s, Timekeeper: Manager}.Anytime(),
			Budget{Hard: 2 * s, Reserve: 15 * ms}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
}

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
		{"a long game", Clock{Left: 1000 * ms, Moves: 90, Timekeeper: Referee},
			Budget{Soft: 400 * ms / 12, Hard: ms + 5*(400*ms/12)}},
		{"most of it by increments", Clock{Left: 1000 * ms, Increment: 1000 * ms, Timekeeper: Referee},
			Budget{Soft: 201 * ms, Hard: 201 * ms}},
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
		{"most of it by increments", Clock{Left: 1000 * ms, Increment: 10_000 * ms, Timekeeper: Referee},
			Budget{Hard: 800 * ms, Reserve: 100 * ms}},
		{"in a dialogue", Clock{Left: 1000 * ms, Increment: 10_000 * ms, Timekeeper: Manager},
			Budget{Hard: 770 * ms, Reserve: 15 * ms}},
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
