package alphabeta_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
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
			timing := alphabeta.Timing{Turn: turn, Left: left, Increment: increment, Moves: n, Most: most - n, Overhead: overhead}
			l := timing.SearchLimits()
			if l.Soft > l.Time || l.Time < time.Millisecond {
				t.Fatalf("move %d: %+v from %+v", n, l, timing)
			}
			if turn > 0 && l.Time > max(turn-overhead, time.Millisecond) {
				t.Fatalf("move %d: %v of a turn of %v", n, l.Time, turn)
			}
			took := l.Time
			if rapid.Bool().Draw(t, "early") {
				took = time.Duration(rapid.Int64Range(0, int64(l.Time)).Draw(t, "took"))
			}
			left -= took + time.Duration(rapid.Int64Range(0, int64(overhead)).Draw(t, "outside"))
			if left < 0 {
				t.Fatalf("move %d: %v over the clock after %+v", n, -left, l)
			}
			left += increment
		}
	})
}

// Whatever is asked, a move gets some time, and unlimited play no limit.
func TestTimingIsTotal(t *testing.T) {
	if l := (alphabeta.Timing{}).SearchLimits(); l.Time != 0 || l.Soft != 0 {
		t.Errorf("%+v without any clock", l)
	}
	rapid.Check(t, func(t *rapid.T) {
		timing := alphabeta.Timing{
			Turn: drawDuration(t, 0, 100, "turn"), Left: drawDuration(t, -5000, 5000, "left"),
			Increment: drawDuration(t, 0, 100, "increment"), Moves: rapid.IntRange(0, 300).Draw(t, "moves"),
			Overhead: drawDuration(t, 0, 100, "overhead"),
		}
		l := timing.SearchLimits()
		if bounded := timing.Turn > 0 || timing.Left != 0; bounded != (l.Time > 0) || l.Soft > l.Time {
			t.Fatalf("%+v from %+v", l, timing)
		}
	})
}

func TestTimingExamples(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	tests := []struct {
		name       string
		timing     alphabeta.Timing
		time, soft [2]time.Duration // at least, at most
	}{
		{"a turn is used up", alphabeta.Timing{Turn: 200 * ms, Overhead: 10 * ms}, [2]time.Duration{190 * ms, 190 * ms}, [2]time.Duration{}},
		{"the start of 60+0.5", alphabeta.Timing{Left: 60 * s, Increment: 500 * ms}, [2]time.Duration{8 * s, 12 * s}, [2]time.Duration{2 * s, 3 * s}},
		{"a late move of it", alphabeta.Timing{Left: 10 * s, Increment: 500 * ms, Moves: 50}, [2]time.Duration{3 * s, 5 * s}, [2]time.Duration{s, 2 * s}},
		{"the clock counts within a long turn", alphabeta.Timing{Turn: 30 * s, Left: 20 * s}, [2]time.Duration{s, 5 * s}, [2]time.Duration{500 * ms, s}},
		{"overstepped", alphabeta.Timing{Left: -s}, [2]time.Duration{ms, ms}, [2]time.Duration{ms, ms}},
	}
	within := func(d time.Duration, bounds [2]time.Duration) bool { return bounds[0] <= d && d <= bounds[1] }
	for _, tt := range tests {
		if l := tt.timing.SearchLimits(); !within(l.Time, tt.time) || !within(l.Soft, tt.soft) {
			t.Errorf("%s: time %v, soft %v; want within %v and %v", tt.name, l.Time, l.Soft, tt.time, tt.soft)
		}
	}
}
