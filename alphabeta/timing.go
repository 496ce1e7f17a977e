package alphabeta

import "time"

// Timing is what a player knows of its clock when it is to move. Zero bounds
// nothing.
type Timing struct {
	Turn      time.Duration // for this move
	Left      time.Duration // for the rest of the game; negative: overstepped
	Increment time.Duration // added to Left after every own move

	Moves int // own moves played so far
	Most  int // own moves that the game can still have. Zero means 100.

	// Overhead is what passes on every move outside the search. Zero means
	// 15 ms.
	Overhead time.Duration
}

// Figures of the use of time. A game of gomoku is decided after some thirty
// moves of each side, often sooner.
const (
	defaultMost     = 100
	defaultOverhead = 15 * time.Millisecond
	leastTime       = time.Millisecond
	usualMoves      = 32 // own moves of a game
	leastMoves      = 12 // that are expected to follow, however long the game has been
	mostStretch     = 5  // times Soft that a search may take
)

// Limits returns the limits in time for a search within t. Time is never more
// than what is left for this move and on the clock; on the clock it leaves the
// overhead of all moves that the game can still have. So if Left is at least
// Most times an overhead and a millisecond, and no move takes longer than its
// Time and an overhead, the clock lasts to the end of the game. With only a
// Turn there is nothing to save for, and no Soft. Both are zero if nothing is
// bounded.
func (t Timing) Limits() Limits {
	if t.Overhead == 0 {
		t.Overhead = defaultOverhead
	}
	if t.Most <= 0 {
		t.Most = defaultMost
	}
	var l Limits
	if t.Left != 0 {
		l = t.clock()
	}
	if t.Turn > 0 {
		turn := max(leastTime, t.Turn-t.Overhead)
		if l.Time == 0 {
			l.Time = turn
		}
		l.Time, l.Soft = min(l.Time, turn), min(l.Soft, turn)
	}
	return l
}

// clock is Limits with nothing but the clock. What is free is left when every
// move to come has its overhead and the least time; half of it may go into one.
func (t Timing) clock() Limits {
	free := t.Left - (t.Overhead+leastTime)*time.Duration(t.Most)
	if free <= 0 {
		return Limits{Time: leastTime, Soft: leastTime}
	}
	expected := min(max(leastMoves, usualMoves-t.Moves), t.Most)
	soft := free/time.Duration(expected) + t.Increment*3/4
	hard := leastTime + min(mostStretch*soft, free/2)
	return Limits{Time: hard, Soft: min(soft, hard)}
}
