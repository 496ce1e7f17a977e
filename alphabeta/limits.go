package alphabeta

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/carozero/carozero/game"
)

// MaxDepth is the largest depth of a search, in plies.
const MaxDepth = 100

// Limits bound one search. Zero bounds nothing.
type Limits struct {
	// Depth is the last iteration, at most MaxDepth, which zero means too.
	Depth int

	// Nodes bounds the moves played by all threads together, quiescence and solver
	// included. It is never exceeded; a single thread uses exactly that many unless
	// something else ends the search first.
	Nodes int64

	// Time ends the search; the clock is checked about every half millisecond. Soft is
	// the intended time: no iteration is started after it, after half of it if the
	// best move has not changed for long, or after up to 2.5 times as long if it
	// changes or its score falls. With either, a position with a single move to
	// search is searched to depth 1 only.
	Time, Soft time.Duration

	// Won ends the search after the first iteration that claims a win.
	Won bool

	// Lines is the number of best moves to search, each with its own line.
	// Zero means 1.
	Lines int

	// Barred, unless nil, says which moves of the root are not searched; if it bars
	// all, all are searched. Claims are then about the other moves only, but the table
	// stores them for the position: call Clear before a search with other barred moves.
	Barred func(m game.Move) bool

	// Progress, if not nil, is called after every iteration of the main thread, on the
	// goroutine that called Search. The callee may keep the Result.
	Progress func(Result)

	// Pause, if not nil, is called before the first node and then whenever the main thread
	// has searched as many nodes as the last call returned, or a few more: it only stops
	// between two reservations of nodes, which changes no search. It gets the nodes
	// searched so far and runs on the goroutine that called Search.
	Pause func(nodes int64) (next int64)

	// Order, if not nil, is called before every iteration of the main thread. The moves that
	// it returns are searched in their order right after the best one, so that they are
	// reduced less than moves that come later. Moves that are not searched are ignored.
	Order func() []game.Move
}

// control holds the limits that the threads of one search share.
type control struct {
	ctx         context.Context
	stop        atomic.Bool
	contextDone atomic.Bool  // the context has ended the search
	left        atomic.Int64 // nodes that no thread has reserved yet; meaningful if bounded
	bounded     bool
	clock       func() int64
	start       int64 // by the clock, if there is one
	deadline    int64
	soft        int64 // from the start
	timed       bool
	won         bool // see Limits.Won
	pause       func(int64) int64
	pauseAt     int64 // nodes of the main thread at which pause is called
}

// begin resets c for a search within l.
func (c *control) begin(ctx context.Context, clock func() int64, l *Limits) {
	c.ctx = ctx
	c.stop.Store(false)
	c.contextDone.Store(false)
	c.won = l.Won
	c.pause, c.pauseAt = l.Pause, 0
	c.bounded = l.Nodes > 0
	c.left.Store(l.Nodes)
	c.clock = clock
	c.timed = l.Time > 0 || l.Soft > 0
	if clock != nil {
		c.start = clock()
	}
	c.deadline, c.soft = c.start+int64(l.Time), int64(l.Soft)
	if l.Time <= 0 {
		c.deadline = math.MaxInt64
	}
	if l.Soft <= 0 {
		c.soft = math.MaxInt64
	}
}

// reserve returns how many of n more nodes the caller may search, 0 if the search must
// end; then every later call of any thread returns 0 too. now is the time, if there is a
// time limit.
func (c *control) reserve(n, now int64) int64 {
	if c.stop.Load() {
		return 0
	}
	if c.cancelled() || c.timed && now >= c.deadline {
		c.stop.Store(true)
		return 0
	}
	if !c.bounded {
		return n
	}
	if before := c.left.Add(-n) + n; before < n {
		if before <= 0 {
			return 0
		}
		return before
	}
	return n
}

// cancelled reports whether the context has ended.
func (c *control) cancelled() bool {
	if c.ctx.Err() == nil {
		return false
	}
	c.contextDone.Store(true)
	return true
}

// softLimitReached reports whether factor times the Soft limit is over.
func (c *control) softLimitReached(factor float64) bool {
	if c.stop.Load() || c.cancelled() {
		return true
	}
	return c.timed && float64(c.clock()-c.start) >= float64(float64(c.soft)*factor)
}

// elapsed returns the time since the start, 0 without a clock.
func (c *control) elapsed() time.Duration {
	if c.clock == nil {
		return 0
	}
	return time.Duration(c.clock() - c.start)
}

// timeManager computes the factor on a search's Soft limit from the results of its
// iterations so far.
type timeManager struct {
	unit        Score // of the evaluation: a notable fall of the score
	move        game.Move
	score       Score
	fall        float64 // of the score, in units, fading
	moveChanges float64 // changes of the best move, fading
	started     bool
}

// reset starts a new search.
func (t *timeManager) reset(unit Score) { *t = timeManager{unit: max(1, unit)} }

// update adds the result of an iteration.
func (t *timeManager) update(m game.Move, s Score) {
	t.moveChanges /= 2
	t.fall /= 2
	if t.started {
		if m != t.move {
			t.moveChanges++
		}
		t.fall += float64(t.score-s) / float64(t.unit)
	}
	t.move, t.score, t.started = m, s, true
}

// factor returns the factor on the Soft limit: 0.5 if the move has not changed for long
// and its score has not fallen, up to 2.5 if the move changes with every iteration and
// the score falls.
func (t *timeManager) factor() float64 {
	fall := max(0, min(t.fall/2, 1))
	return min(0.5+0.75*t.moveChanges+0.5*fall, 2.5)
}
