package engine

import (
	"cmp"
	"context"
	"math"
	"time"
)

// Clock is a player's clock when it is its turn. Zero means no limit; a clock that has run
// out shows a nanosecond.
type Clock struct {
	Turn       time.Duration // for this move
	Left       time.Duration // for the rest of the game
	Increment  time.Duration // added to Left after every own move
	Moves      int           // own moves played so far
	Timekeeper Timekeeper
}

// Timekeeper says who measures a player's time, which decides how much of it is kept back
// for delays outside the search.
type Timekeeper uint8

// The timekeepers.
const (
	// Unmeasured: no one measures it. The search may use all the time of Turn, and only Turn
	// counts.
	Unmeasured Timekeeper = iota

	// Referee is the referee of a match within this program: punctual, with a little
	// tolerance.
	Referee

	// Manager is a program on the other side of a protocol, on a machine that may be busy.
	// It tolerates nothing.
	Manager
)

// Limited reports whether there is any limit.
func (c Clock) Limited() bool { return c.Turn > 0 || c.Left > 0 }

// Limit returns the longest that the move may take, to the microsecond, and
// false if there is no limit.
func (c Clock) Limit() (time.Duration, bool) {
	limit := c.Turn
	if c.Left > 0 && (c.Turn == 0 || c.Left < c.Turn) {
		limit = c.Left
	}
	return limit.Truncate(time.Microsecond), c.Limited()
}

// After returns the clock when some more time has passed.
func (c Clock) After(d time.Duration) Clock {
	if c.Turn > 0 {
		c.Turn = max(c.Turn-d, 1)
	}
	if c.Left > 0 {
		c.Left = max(c.Left-d, 1)
	}
	return c
}

// Budget is the time that a clock allows for one move. Zero means no limit.
type Budget struct {
	Hard time.Duration // when the search ends; positive under every limit

	// Soft is about how long an iterative search should take; a difficult position may take
	// up to Hard. 0: Hard.
	Soft time.Duration

	// Reserve is time after Hard in which the chosen move may be checked.
	Reserve time.Duration
}

// anytime is how a search that can end at any moment divides a clock.
type anytime struct {
	lag   time.Duration // kept back of any limit, for the last evaluation and the answer's way
	share time.Duration // of a turn: 1/share is kept back besides lag
	moves time.Duration // the rest of the game is planned to have this many moves
	most  time.Duration // of the reserve; 0: no bound
}

// How an anytime search divides a clock, by Timekeeper.
var anytimes = [...]anytime{
	Referee: {share: 10, moves: 20},
	Manager: {lag: 30 * time.Millisecond, share: 20, moves: 25, most: 15 * time.Millisecond},
}

// Anytime returns the budget of a search that improves steadily and can end at any moment,
// such as the tree search; it needs no Soft limit. A move gets a fixed part of the game's
// remaining time plus three quarters of the increment, but at most four fifths of the
// remaining time, and at most the turn less what is kept back.
func (c Clock) Anytime() Budget {
	if !c.Limited() {
		return Budget{}
	}
	limit, _ := c.Limit()
	if c.Timekeeper == Unmeasured {
		return Budget{Hard: max(limit, 1)}
	}
	a := anytimes[c.Timekeeper]
	hard := time.Duration(math.MaxInt64)
	if c.Left > 0 {
		hard = min(c.Left/a.moves+c.Increment/4*3, c.Left/5*4-a.lag)
	}
	if c.Turn > 0 {
		hard = min(hard, c.Turn-min(a.lag+c.Turn/a.share, c.Turn/2))
	}
	hard = max(hard, 1)
	reserve := max(0, min(hard, (limit-hard)/2))
	if a.most > 0 {
		reserve = min(reserve, a.most)
	}
	return Budget{Hard: hard, Reserve: reserve}
}

// Constants of an iterative search. A game of gomoku is decided after some thirty moves of
// each side, often sooner.
const (
	leastTime   = time.Millisecond
	mostMoves   = 100 // own moves that a game can still have
	usualMoves  = 32  // own moves of a game
	leastMoves  = 12  // that are always expected to follow
	mostStretch = 5   // Hard is at most this many times Soft
)

// overheads is the time that each move takes outside the search, by Timekeeper.
var overheads = [...]time.Duration{Referee: 5 * time.Millisecond, Manager: 15 * time.Millisecond}

// Iterative returns the budget of an iterative search, such as the classical one. Hard is
// never more than the time left for this move and on the clock; on the clock it leaves the
// overhead of all moves that the game can still have. So if Left is at least mostMoves
// times an overhead and a millisecond, and no move takes longer than its Hard and an
// overhead, the clock lasts to the end of the game. With only a Turn there is nothing to
// save for, and no Soft.
func (c Clock) Iterative() Budget {
	if !c.Limited() {
		return Budget{}
	}
	if c.Timekeeper == Unmeasured {
		limit, _ := c.Limit()
		return Budget{Hard: max(limit, 1)}
	}
	return c.iterative(overheads[c.Timekeeper], mostMoves)
}

// iterative is Iterative with a given overhead and number of moves to come.
func (c Clock) iterative(overhead time.Duration, most int) Budget {
	var b Budget
	if c.Left > 0 {
		b = c.spread(overhead, most)
	}
	if c.Turn > 0 {
		turn := max(leastTime, c.Turn-overhead)
		if b.Hard == 0 {
			b.Hard = turn
		}
		b.Hard, b.Soft = min(b.Hard, turn), min(b.Soft, turn)
	}
	return b
}

// spread is iterative for the game's time alone. It sets aside the overhead and the least
// time of every move to come; half of what remains may go into one move.
func (c Clock) spread(overhead time.Duration, most int) Budget {
	free := c.Left - (overhead+leastTime)*time.Duration(most)
	if free <= 0 {
		return Budget{Hard: leastTime, Soft: leastTime}
	}
	expected := min(max(leastMoves, usualMoves-c.Moves), most)
	soft := free/time.Duration(expected) + c.Increment*3/4
	hard := leastTime + min(mostStretch*soft, free/2)
	return Budget{Hard: hard, Soft: min(soft, hard)}
}

// Time is a source of time.
type Time interface {
	// Now returns the current time; only differences matter.
	Now() time.Time

	// WithDeadline is context.WithDeadline measured by this source.
	WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc)
}

// SystemTime is the real time.
type SystemTime struct{}

// Now returns time.Now.
func (SystemTime) Now() time.Time { return time.Now() }

// WithDeadline returns context.WithDeadline with an Err that reads the clock: on a busy
// machine the timer that ends a context can be very late.
func (SystemTime) WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc) {
	bounded, cancel := context.WithDeadline(ctx, at)
	return punctual{bounded, ctx, at}, cancel
}

// punctual is a context whose Err is DeadlineExceeded from its deadline on, even before
// Done is closed. It asks the Err of its parent, which may do more than tell.
type punctual struct {
	context.Context
	parent context.Context
	at     time.Time
}

// Err implements context.Context.
func (p punctual) Err() error {
	if err := cmp.Or(p.parent.Err(), p.Context.Err()); err != nil {
		return err
	}
	if !time.Now().Before(p.at) {
		return context.DeadlineExceeded
	}
	return nil
}
