package alphabeta

import (
	"context"
	"sync/atomic"
	"time"
)

// MaxDepth is the largest depth of a search, in plies.
const MaxDepth = 100

// Limits bound one search. Zero bounds nothing.
type Limits struct {
	// Depth is the last iteration, at most MaxDepth, which zero means too.
	Depth int

	// Nodes bounds the moves played by all threads together, those of
	// quiescence and solver included. It is never exceeded, and one thread
	// reaches it to the node unless something else ends the search first.
	Nodes int64

	// Time ends the search, looked at every few hundred nodes; after Soft no
	// further iteration is started.
	Time, Soft time.Duration

	// Lines is the number of best moves to search, each with its own line.
	// Zero means 1.
	Lines int

	// Progress, if given, is called after every iteration of the main thread,
	// on the goroutine that called Search. The Result is the callee's to keep.
	Progress func(Result)
}

// poll is how many nodes a thread searches between two looks at the clock, the
// context and the stop flag.
const poll = 512

// control is what the threads of one search share beside the table.
type control struct {
	ctx      context.Context
	stop     atomic.Bool
	gone     atomic.Bool  // the context has ended the search
	left     atomic.Int64 // nodes that no thread has claimed yet; meaningful if bounded
	bounded  bool
	clock    func() int64
	start    int64 // by the clock, if there is one
	deadline int64
	soft     int64
	timed    bool
}

// begin resets c for a search within l.
func (c *control) begin(ctx context.Context, clock func() int64, l *Limits) {
	c.ctx = ctx
	c.stop.Store(false)
	c.gone.Store(false)
	c.bounded = l.Nodes > 0
	c.left.Store(l.Nodes)
	c.clock = clock
	c.timed = l.Time > 0 || l.Soft > 0
	if clock != nil {
		c.start = clock()
	}
	c.deadline, c.soft = c.start+int64(l.Time), c.start+int64(l.Soft)
	if l.Time <= 0 {
		c.deadline = 1<<63 - 1
	}
	if l.Soft <= 0 {
		c.soft = c.deadline
	}
}

// claim returns how many of n more nodes the caller may search, 0 if the
// search has to end; then every later call of any thread returns 0 too.
func (c *control) claim(n int64) int64 {
	if c.stop.Load() {
		return 0
	}
	if c.cancelled() || c.timed && c.clock() >= c.deadline {
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
	c.gone.Store(true)
	return true
}

// late reports whether no further iteration should be started.
func (c *control) late() bool {
	return c.stop.Load() || c.cancelled() || c.timed && c.clock() >= c.soft
}

// elapsed returns the time since the start, 0 without a clock.
func (c *control) elapsed() time.Duration {
	if c.clock == nil {
		return 0
	}
	return time.Duration(c.clock() - c.start)
}
