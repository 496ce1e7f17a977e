package gomocup

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/internal/engine"
)

func TestBounds(t *testing.T) {
	const fallback, quick = 800, 16
	ms := time.Millisecond
	for _, c := range []struct {
		info  string // INFO lines without the word, separated by semicolons
		nodes int64
		after time.Duration // 0: no end
	}{
		{"", fallback, 0},
		{"max_node 300", 300, 0},
		{"max_node 0", fallback, 0},
		{"max_node -1", fallback, 0},
		{"timeout_turn 1000", 0, 920 * ms},
		{"timeout_turn 1000;max_node 300", 300, 920 * ms},
		{"timeout_turn 40", 0, 20 * ms},
		{"timeout_turn 1", 1, 0},
		{"timeout_turn 0", quick, 0},
		{"timeout_turn 0;max_node 300", 300, 0},
		{"timeout_turn 0;max_node 300;timeout_match 100000", 300, 4000 * ms},
		{"timeout_match 100000", 0, 4000 * ms},
		{"timeout_match 100000;time_left 50000", 0, 2000 * ms},
		{"timeout_match 100000;time_left 50000;time_increment 400", 0, 2300 * ms},
		{"timeout_turn 1000;timeout_match 100000;time_left 50000", 0, 920 * ms},
		{"timeout_turn 30000;timeout_match 100000;time_left 50000", 0, 2000 * ms},
		{"timeout_turn 30000;timeout_match 100000;time_left 30", 1, 0},
		{"timeout_turn 30000;timeout_match 100000;time_left 0", 1, 0},
		{"timeout_turn 30000;timeout_match 100000;time_left -700", 1, 0},
		{"timeout_turn 1000;time_left 2147483647", 0, 920 * ms},
		{"timeout_match 0;time_left 0", fallback, 0},
		{"timeout_turn 1000;timeout_match 0;time_left 0", 0, 920 * ms},
		{"timeout_turn 2000000;timeout_match 100000000", fallback, 0},
		{"timeout_turn 2000000;timeout_match 100000000;max_node 60000", 60000, 0},
		{"timeout_turn 2000000;timeout_match 100000000;max_node -1", 0, 0},
		{"max_node -1;timeout_match 100000000;time_left 100000000;timeout_turn 2000000", 0, 0},
		{"timeout_turn 2000000;timeout_match 100000000;max_node -1;max_node 0", fallback, 0},
		{"timeout_turn 2000000;timeout_match 100000000;max_node -1;timeout_turn 1000", 0, 920 * ms},
		{"timeout_turn -1;timeout_match -1;time_left 1", 0, 0},
		{"timeout_turn -1;timeout_match -1;max_node 70;time_left 1", 70, 0},
		{"timeout_turn -1;timeout_match 100000", 0, 4000 * ms},
		{"timeout_turn 1000;timeout_match -1", 0, 920 * ms},
		{"timeout_turn -1;timeout_match 0", 0, 0},
		{"timeout_turn 2000000", 0, 1899970 * ms},
		{"timeout_turn soon", fallback, 0},
	} {
		s := settings{timing: newTiming()}
		for _, l := range strings.Split(c.info, ";") {
			key, value, _ := strings.Cut(l, " ")
			_ = s.set(key, value)
		}
		arrival := time.Unix(1000, 0)
		limits, end := s.bounds(arrival, &Options{Nodes: fallback, Quick: quick})
		nodes := limits.Nodes
		var after time.Duration
		if !end.IsZero() {
			after = end.Sub(arrival)
		}
		if nodes != c.nodes || after != c.after {
			t.Errorf("%s: %d nodes, %v; want %d, %v", c.info, nodes, after, c.nodes, c.after)
		}
		if s.turn != unlimited && s.turn > 0 && after > s.turn ||
			s.left > 0 && s.left != unlimited && !s.free && after > s.left {
			t.Errorf("%s: the limit is overstepped", c.info)
		}
	}
}

// A client that sends no time_left gets its moves counted; time_left corrects.
func TestTheClockRuns(t *testing.T) {
	k := newTalk()
	clock := k.opts.Time.(*stopped)
	start := clock.at
	k.tell(t, "OK", "START 15")
	k.tell(t, "0,14", "INFO timeout_match 100000", "BEGIN")
	j := k.handle(line{text: "TURN 7,7", arrival: start})
	k.engine.think = func(context.Context) { clock.at = start.Add(50 * time.Second) }
	j.run(t.Context())()
	if given := k.given(); given != 4*time.Second {
		t.Errorf("the second move gets %v", given)
	}
	if k.settings.left != 50*time.Second {
		t.Errorf("%v left after 50 of 100 s", k.settings.left)
	}
	k.tell(t, "OK", "INFO time_left 3000", "RESTART")
	if k.settings.left != 100*time.Second {
		t.Errorf("%v left in a new game", k.settings.left)
	}
	k.tell(t, "0,14", "INFO time_left 3000", "BEGIN")
	if given := k.given(); given != 120*time.Millisecond {
		t.Errorf("a move with 3 s left gets %v", given)
	}
}

// given returns the time that a search which can end at any moment takes from the
// clock that the engine was told last.
func (k *talk) given() time.Duration {
	return k.engine.limits[len(k.engine.limits)-1].Clock.Anytime().Hard
}

// The engine gets what is left of the clock when it begins, and is stopped
// when that has all but run out.
func TestTheEnginesClock(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		info   string
		passed time.Duration // between the arrival and the search
		want   engine.Clock
		after  time.Duration // the end, from the arrival; 0: none
	}{
		{"", 0, engine.Clock{}, 0},
		{"max_node 300", 0, engine.Clock{}, 0},
		{"timeout_turn 0", 0, engine.Clock{}, 0},
		{"timeout_turn 1000", 0, engine.Clock{Turn: 1000 * ms}, 970 * ms},
		{"timeout_turn 1000", 300 * ms, engine.Clock{Turn: 700 * ms}, 970 * ms},
		{"timeout_turn 1000", 3000 * ms, engine.Clock{Turn: 1}, 970 * ms},
		{"timeout_match 100000", 0, engine.Clock{Left: 100_000 * ms}, 99_970 * ms},
		{"timeout_turn 5000;timeout_match 100000;time_left 4000;time_increment 500", 0,
			engine.Clock{Turn: 5000 * ms, Left: 4000 * ms, Increment: 500 * ms}, 3970 * ms},
		{"timeout_turn 5000;timeout_match 100000;time_left -10", 0, engine.Clock{}, 0},
		{"timeout_turn 2000000;timeout_match 100000000", 0, engine.Clock{}, 0},
	} {
		k := newTalk()
		k.say("START 15")
		for _, l := range strings.Split(c.info, ";") {
			key, value, _ := strings.Cut(l, " ")
			_ = k.settings.set(key, value)
		}
		arrival := k.opts.Time.Now().Add(-c.passed)
		j := k.handle(line{text: "TURN 7,7", arrival: arrival})
		j.run(t.Context())()
		var after time.Duration
		if !j.end.IsZero() {
			after = j.end.Sub(arrival)
		}
		if c.want != (engine.Clock{}) {
			c.want.Timekeeper = engine.Manager
		}
		got := k.engine.limits[0]
		if got.Clock != c.want || after != c.after {
			t.Errorf("%q after %v: clock %+v, end after %v; want %+v, %v", c.info, c.passed, got.Clock, after, c.want, c.after)
		}
		if got.Clock.Limited() && got.Nodes != 0 {
			t.Errorf("%q: %d nodes under a clock", c.info, got.Nodes)
		}
	}
}
