package gomocup

import (
	"testing"
	"time"
)

// A move that came too late by some time is made up for by the next ones: they get so
// much less, and half of the limit on how late is kept back beside it, but never more
// than half a turn. What was punctual makes it less by a quarter.
func TestSlack(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name        string
		turn, slack time.Duration
		took        time.Duration
		want        time.Duration
	}{
		{"on time", 1000 * ms, 0, 900 * ms, 0},
		{"to the end of what is kept back", 1000 * ms, 0, 985 * ms, 0},
		{"a little beyond it", 1000 * ms, 0, 995 * ms, 10 * ms},
		{"at the limit", 1000 * ms, 0, 1000 * ms, 15 * ms},
		{"late", 1000 * ms, 0, 1200 * ms, 215 * ms},
		{"far too late", 1000 * ms, 0, 9000 * ms, 500 * ms},
		{"late by more than before", 1000 * ms, 100 * ms, 1200 * ms, 215 * ms},
		{"late by less than before", 1000 * ms, 400 * ms, 1100 * ms, 300 * ms},
		{"punctual again", 1000 * ms, 400 * ms, 500 * ms, 300 * ms},
		{"the last of it", 1000 * ms, ms, 500 * ms, 0},
		{"in a short turn", 40 * ms, 0, 60 * ms, 20 * ms},
		{"as fast as possible", 0, 0, 60 * ms, 0},
		{"without a limit", unlimited, 400 * ms, 9000 * ms, 300 * ms},
	} {
		s := newTiming()
		s.turn, s.slack = c.turn, c.slack
		if s.spend(c.took); s.slack != c.want {
			t.Errorf("%s: %v is kept back, want %v", c.name, s.slack, c.want)
		}
		if s.left != unlimited {
			t.Errorf("%s: %v left of a game without a limit", c.name, s.left)
		}
	}
}
