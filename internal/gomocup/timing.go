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

// WithDeadline returns context.WithDeadline, with an Err that reads the clock: on
// a machine with too much to do, the timer that ends a context can be late by
// far more than a search that looks at Err.
func (SystemTime) WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithDeadline(ctx, at)
	return punctual{ctx, at}, cancel
}

// punctual is a context whose Err is DeadlineExceeded from its deadline on, even
// while Done is still open.
type punctual struct {
	context.Context
	at time.Time
}

// Err implements context.Context.
func (p punctual) Err() error {
	if err := p.Context.Err(); err != nil {
		return err
	}
	if !time.Now().Before(p.at) {
		return context.DeadlineExceeded
	}
	return nil
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
