package gomocup

import (
	"math"
	"time"

	"github.com/carozero/carozero/internal/engine"
)

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
	match     time.Duration // for the game
	free      bool          // the client said that the game has no limit
	open      bool          // the client said that a move has none
	left      time.Duration // of the game's time; may be negative
	increment time.Duration // added to it after each move

	// slack is taken off the limit of a move: by so much the last moves came
	// too late, on a machine that lets this program wait.
	slack time.Duration
}

// newTiming returns the timing of a client that said nothing.
func newTiming() timing { return timing{turn: unlimited, match: unlimited, left: unlimited} }

// restart begins a new game's clock.
func (t *timing) restart() { t.left = t.match }

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
	if t.free {
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
