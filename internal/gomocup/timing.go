package gomocup

import (
	"context"
	"math"
	"time"
)

// Time is the source of time of a server.
type Time interface {
	// Now returns the current time; only differences are read.
	Now() time.Time

	// WithDeadline is context.WithDeadline measured by this source.
	WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc)
}

// SystemTime is the real time.
type SystemTime struct{}

// Now returns time.Now.
func (SystemTime) Now() time.Time { return time.Now() }

// WithDeadline returns context.WithDeadline.
func (SystemTime) WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc) {
	return context.WithDeadline(ctx, at)
}

// unlimited is a duration that sets no limit.
const unlimited = time.Duration(math.MaxInt64)

// From these limits on, both together, a Yixin board means no limit.
const (
	yixinTurn  = 2_000_000 * time.Millisecond
	yixinMatch = 100_000_000 * time.Millisecond
)

// Parts of a limit that are kept back for everything but the search: the last
// evaluation, the way of the answer to the client, and a busy machine.
const (
	lag       = 30 * time.Millisecond
	lagShare  = 20 // a twentieth of the limit on top of lag
	movesToGo = 25 // for which the rest of a game's time must last
	shortest  = 2 * time.Millisecond
)

// timing is what a client said about time. Durations are not negative unless
// noted, and unlimited where there is no limit.
type timing struct {
	turn      time.Duration // for a move; 0: as fast as possible
	match     time.Duration // for the game
	endless   bool          // the client said that the game has no limit
	left      time.Duration // of the game's time; may be negative
	increment time.Duration // added to it after each move
}

// newTiming returns the timing of a client that said nothing.
func newTiming() timing { return timing{turn: unlimited, match: unlimited, left: unlimited} }

// restart begins a new game's clock.
func (t *timing) restart() { t.left = t.match }

// spend takes the time of a move off the clock; a client that sends time_left
// corrects it.
func (t *timing) spend(d time.Duration) {
	if t.left != unlimited {
		t.left += t.increment - d
	}
}

// limits returns the limits on the move and on the rest of the game, unlimited
// for none. A turn of 0 means as fast as possible.
func (t *timing) limits() (turn, left time.Duration) {
	turn, left = t.turn, t.left
	if t.endless {
		left = unlimited
	}
	if turn >= yixinTurn && t.match >= yixinMatch && turn != unlimited && t.match != unlimited {
		return unlimited, unlimited
	}
	return turn, left
}

// budget returns how long the search for a move may take, and false if it is
// not limited. A budget below shortest means that no time is left.
func (t *timing) budget() (time.Duration, bool) {
	turn, left := t.limits()
	if turn == unlimited && left == unlimited {
		return 0, false
	}
	d := unlimited
	if turn != unlimited {
		d = turn - min(lag+turn/lagShare, turn/2)
	}
	if left != unlimited {
		d = min(d, left/movesToGo+t.increment/4*3, left/5*4-lag)
	}
	return max(d, 0), true
}
