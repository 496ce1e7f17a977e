package gomocup

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/engine"
)

// settings are what a client's INFO lines said.
type settings struct {
	timing
	nodes   int  // exact budget of a move; 0: none
	endless bool // no limit, as boards of the Yixin family say
	depth   int  // plies; 0: no bound
	rule    int  // number
	memory  int64
	table   int64
	threads int
	detail  detail
	ponder  bool // thinking during the opponent's turn is welcome
}

// set takes one INFO line's key and value. Keys that say nothing to this engine
// are accepted with any value. On an error nothing has changed.
func (s *settings) set(key, value string) error {
	const maxNodes, maxDepth, maxThreads = 1 << 30, 1000, 1024
	key = strings.ToLower(key)
	first, _ := cutWord(value)
	n, err := strconv.ParseInt(first, 10, 64) // one out of range is the largest or smallest there is
	within := func(most int64) int { return int(min(max(n, 0), most)) }
	take := map[string]func(){
		"timeout_turn": func() {
			if s.turn, s.open = milliseconds(n), n < 0; s.open {
				s.turn = unlimited
			}
		},
		"timeout_match": func() {
			if s.match = milliseconds(n); n <= 0 {
				s.match = unlimited
			}
			s.left = s.match
		},
		"time_left": func() {
			if s.left = milliseconds(n); n >= noLimit {
				s.left = unlimited
			}
		},
		"time_increment": func() { s.increment = milliseconds(max(n, 0)) },
		"max_node":       func() { s.nodes, s.endless = within(maxNodes), n < 0 },
		"max_depth":      func() { s.depth = within(maxDepth) },
		"rule":           func() { s.rule = within(math.MaxInt32) },
		"max_memory":     func() { s.memory = max(n, 0) },
		"hash_size":      func() { s.table = max(min(n, math.MaxInt64>>10), 0) << 10 },
		"thread_num":     func() { s.threads = within(maxThreads) },
		"show_detail": func() {
			if s.detail = 0; 0 <= n && n <= int64(realtime|fields) {
				s.detail = detail(n)
			}
		},
		"pondering": func() { s.ponder = n > 0 },
	}[key]
	switch {
	case take == nil:
		return nil
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("INFO %s %q: want a whole number", key, excerpt(value))
	case n < 0 && key == "rule":
		return fmt.Errorf("INFO %s %d: want 0 or more", key, n)
	}
	take()
	return nil
}

// longest duration that a client can name, far from overflow.
const longest = 1 << 50

func milliseconds(n int64) time.Duration {
	const most = int64(longest / time.Millisecond)
	return time.Duration(max(min(n, most), -most)) * time.Millisecond
}

// bounds returns the limits of a move that arrived at a time, without the
// client's clock, and when its search has to end, the zero time for never. Nodes
// or time are bounded unless the client wants the search to go on until YXSTOP.
func (s *settings) bounds(arrival time.Time, o *Options) (l engine.Limits, end time.Time) {
	l = engine.Limits{Nodes: int64(s.nodes), Depth: s.depth, Seed: o.Seed}
	if l.Depth == 0 {
		l.Depth = o.Depth
	}
	if s.turn == 0 && s.nodes == 0 {
		l.Nodes = int64(o.Quick)
		return l, time.Time{}
	}
	c := s.clock()
	budget := c.Anytime().Hard
	switch {
	case c.Limited() && budget < shortest:
		l.Nodes = 1
	case c.Limited():
		return l, arrival.Add(budget)
	case s.nodes == 0 && !s.untilStop():
		l.Nodes = int64(o.Nodes)
	}
	return l, time.Time{}
}

// untilStop reports whether a search for which nothing is bounded goes on until
// YXSTOP, because the client has said so: by numbers without end for both times,
// with as many nodes as there are, or by times below zero.
func (s *settings) untilStop() bool {
	return s.beyond() && s.endless || s.open && s.match == unlimited
}

// Settings are what a client may ask of an engine beyond a move.
type Settings struct {
	Rule    string // name of the rule set
	Size    int    // side length of the board
	Memory  int64  // bytes that the program may use; 0: no limit was named
	Table   int64  // bytes for what is remembered of searches; 0: no number was named
	Threads int    // 0: no number was named
}

// Open returns an engine for games under the settings. It may take a while if
// they changed, and otherwise returns the engine of before, which is no longer
// used after any other call. An error, such as that of a network that is
// missing, is sent to the client in one line, and there are no searches until
// a later call succeeds. What a first Think would have to set up belongs here:
// it may take as long as a client waits for the answer to START.
type Open func(Settings) (engine.Engine, error)

// tableBytes bounds what is remembered of searches, of so much memory: half of it, the rest
// being for the network, the runtime and other programs, and 2 GiB, since it is cleared for
// every game.
func tableBytes(memory int64) int64 { return min(memory/2, 2<<30) }

// wanted returns the settings of the engine for a game under rules on a board. Boards offer
// up to 64 GiB: what is more than the machine has becomes what it has.
func (s *settings) wanted(rule string, size int, o *Options) Settings {
	memory := min(s.memory, o.Memory)
	return Settings{
		Rule: rule, Size: size, Memory: memory, Threads: min(s.threads, o.Threads),
		Table: min(s.table, tableBytes(cmp.Or(memory, o.Memory))),
	}
}

// unlimited is a duration that sets no limit.
const unlimited = time.Duration(math.MaxInt64)

// From these limits on, both together, a Yixin board means no limit.
const (
	yixinTurn  = 2_000_000 * time.Millisecond
	yixinMatch = 100_000_000 * time.Millisecond
)

const (
	// lag is kept back of any limit by all means: the last evaluation, the way of
	// the answer to the client, and a busy machine.
	lag = 30 * time.Millisecond

	// shortest is the least budget; with less, no time is left.
	shortest = 2 * time.Millisecond
)

// timing is what a client said about time. Durations are not negative unless
// noted, and unlimited where there is no limit.
type timing struct {
	turn      time.Duration // for a move; 0: as fast as possible
	match     time.Duration // for the game; without a limit, left says nothing
	open      bool          // the client said that a move has none
	left      time.Duration // of the game's time; may be negative
	increment time.Duration // added to it after each move

	// slack is taken off the limit of a move: by so much the last moves came
	// too late, on a machine that lets this program wait.
	slack time.Duration
}

// newTiming returns the timing of a client that said nothing.
func newTiming() timing { return timing{turn: unlimited, match: unlimited, left: unlimited} }

// spend takes the time of a move off the clock; a client that sends time_left
// corrects it. It notes how late the move was.
func (t *timing) spend(d time.Duration) {
	if t.slack -= t.slack / 4; t.slack < time.Millisecond {
		t.slack = 0
	}
	if turn, _ := t.limits(); turn != unlimited && turn > 0 {
		t.slack = min(max(t.slack, d-t.turn+lag/2), t.turn/2)
	}
	if t.left != unlimited {
		t.left += t.increment - d
	}
}

// limits returns the limits on the move and on the rest of the game, unlimited
// for none. A turn of 0 means as fast as possible.
func (t *timing) limits() (turn, left time.Duration) {
	turn, left = t.turn, t.left
	if t.match == unlimited {
		left = unlimited
	}
	if t.beyond() {
		return unlimited, unlimited
	}
	if turn != unlimited {
		turn = max(turn-t.slack, turn/2)
	}
	return turn, left
}

// beyond reports whether the limits are those by which boards mean none.
func (t *timing) beyond() bool {
	return t.turn >= yixinTurn && t.match >= yixinMatch && t.turn != unlimited && t.match != unlimited
}

// clock returns the client's clock as an engine reads it, when a move begins. A turn of 0
// means no limit.
func (t *timing) clock() engine.Clock {
	turn, left := t.limits()
	c := engine.Clock{Timekeeper: engine.Manager}
	if turn != unlimited {
		c.Turn = turn
	}
	if left != unlimited {
		c.Left, c.Increment = max(left, 1), t.increment
	}
	return c
}

// latest returns when an engine has to be stopped that keeps a clock, from when
// the move began.
func latest(c engine.Clock) time.Duration {
	most := unlimited
	for _, limit := range []time.Duration{c.Turn, c.Left} {
		if limit > 0 {
			most = min(most, limit-min(lag, limit/2))
		}
	}
	return most
}
