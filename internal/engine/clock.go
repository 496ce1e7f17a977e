package engine

import (
	"math"
	"time"
)

// Clock is what a player has on its clock when it is to move. Zero bounds
// nothing; what has run out is a nanosecond.
type Clock struct {
	Turn      time.Duration // for this move
	Left      time.Duration // for the rest of the game
	Increment time.Duration // added to Left after every own move
	Moves     int           // own moves played so far
	Terms     Terms
}

// Terms say who holds a clock: how long an answer takes to get there, and what
// happens to one that is late.
type Terms uint8

// The terms.
const (
	// Exact is a time to search, all of it: nobody measures it. Only Turn counts.
	Exact Terms = iota

	// Match is the referee of a match within this program.
	Match

	// Dialogue is a program that speaks a protocol, on a machine that may be
	// busy.
	Dialogue
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

// Budget is the time that a clock has for one move. Zero bounds nothing.
type Budget struct {
	Hard time.Duration // when the search ends; positive under every limit

	// Soft is how long a search by iterations should take, which may be up to
	// Hard where the position asks for it. 0: Hard.
	Soft time.Duration

	// Reserve is what may go into checking the chosen move after Hard.
	Reserve time.Duration
}

// anytime is how a search that can end at any moment divides a clock.
type anytime struct {
	lag   time.Duration // kept back of any limit: the last evaluation, the way of the answer
	share time.Duration // of a turn, one part in so many is kept back beside lag
	moves time.Duration // for which the rest of a game's time must last
	most  time.Duration // of the reserve; 0: no bound
}

// The divisions by Terms. A referee in this program measures punctually and
// pardons a little; a manager behind a protocol does neither.
var anytimes = [...]anytime{
	Match:    {share: 10, moves: 20},
	Dialogue: {lag: 30 * time.Millisecond, share: 20, moves: 25, most: 15 * time.Millisecond},
}

// Anytime returns the budget of a search that improves steadily and can end at
// any moment, as the tree search: there is nothing to gain from a Soft limit. A
// move gets a fixed part of what is left for the game and three quarters of the
// increment, and no more than four fifths of what is left, or of the turn all
// but what has to be kept back.
func (c Clock) Anytime() Budget {
	if !c.Limited() {
		return Budget{}
	}
	limit, _ := c.Limit()
	if c.Terms == Exact {
		return Budget{Hard: max(limit, 1)}
	}
	a := anytimes[c.Terms]
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

// Figures of a search by iterations. A game of gomoku is decided after some
// thirty moves of each side, often sooner.
const (
	leastTime   = time.Millisecond
	mostMoves   = 100 // own moves that a game can still have
	usualMoves  = 32  // own moves of a game
	leastMoves  = 12  // that are expected to follow, however long the game has been
	mostStretch = 5   // times Soft that a search may take
)

// overheads are what passes on every move outside the search, by Terms.
var overheads = [...]time.Duration{Match: 5 * time.Millisecond, Dialogue: 15 * time.Millisecond}

// Iterative returns the budget of a search by iterations, as the classical one.
// Hard is never more than what is left for this move and on the clock; on the
// clock it leaves the overhead of all moves that the game can still have. So if
// Left is at least mostMoves times an overhead and a millisecond, and no move
// takes longer than its Hard and an overhead, the clock lasts to the end of the
// game. With only a Turn there is nothing to save for, and no Soft.
func (c Clock) Iterative() Budget {
	if !c.Limited() {
		return Budget{}
	}
	if c.Terms == Exact {
		limit, _ := c.Limit()
		return Budget{Hard: max(limit, 1)}
	}
	return c.iterative(overheads[c.Terms], mostMoves)
}

// iterative is Iterative with an overhead and a number of moves to come.
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

// spread is iterative with nothing but the game's time. What is free is left
// when every move to come has its overhead and the least time; half of it may
// go into one.
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
