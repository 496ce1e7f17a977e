package arena

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// TimeControl limits the time of one player. The zero value sets no limit.
type TimeControl struct {
	Turn      time.Duration // for each move; 0: no limit of its own
	Base      time.Duration // for the game; 0 with no increment: no limit
	Increment time.Duration // added after each move
}

// maxSeconds bounds the parts of a time control, about eleven days.
const maxSeconds = 1e6

// ParseTimeControl reads a game's time and its increment in seconds, as in
// "60+0.5" or "300".
func ParseTimeControl(text string) (TimeControl, error) {
	base, increment, both := strings.Cut(text, "+")
	c := TimeControl{}
	var err error
	if c.Base, err = parseSeconds(base); err == nil && both {
		c.Increment, err = parseSeconds(increment)
	}
	if err != nil || c.Base == 0 {
		return TimeControl{}, fmt.Errorf("time control %q: want seconds and an increment, as in 60+0.5", text)
	}
	return c, nil
}

func parseSeconds(text string) (time.Duration, error) {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, err
	}
	if !(s >= 0 && s <= maxSeconds) {
		return 0, strconv.ErrRange
	}
	return time.Duration(math.Round(s * float64(time.Second))), nil
}

// timed reports whether the game as a whole is limited.
func (c TimeControl) timed() bool { return c.Base > 0 || c.Increment > 0 }

// Limited reports whether there is any limit.
func (c TimeControl) Limited() bool { return c.timed() || c.Turn > 0 }

// String returns the control in words, "none" for no limit.
func (c TimeControl) String() string {
	var parts []string
	if c.timed() {
		parts = append(parts, fmt.Sprintf("%g+%g s a game", c.Base.Seconds(), c.Increment.Seconds()))
	}
	if c.Turn > 0 {
		parts = append(parts, fmt.Sprintf("%g s a move", c.Turn.Seconds()))
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// Clock is what a player is told about time when it has to move.
type Clock struct {
	Control      TimeControl   // the player's own
	Left         time.Duration // for the rest of the game; 0 where Control sets no limit on it
	OpponentLeft time.Duration // likewise for the opponent
}

// Limit returns the longest that this move may take, and false if there is no
// limit.
func (c Clock) Limit() (time.Duration, bool) {
	switch {
	case !c.Control.Limited():
		return 0, false
	case !c.Control.timed():
		return c.Control.Turn, true
	case c.Control.Turn == 0:
		return c.Left, true
	}
	return min(c.Control.Turn, c.Left), true
}

// movesToGo is how many more moves [Clock.Budget] plans for.
const movesToGo = 20

// Budget returns a reasonable time for this move: a twentieth of what is left
// for the game and three quarters of the increment, and no more than four
// fifths of what is left or nine tenths of the limit on one move. It returns
// false if there is no limit.
func (c Clock) Budget() (time.Duration, bool) {
	if !c.Control.Limited() {
		return 0, false
	}
	budget := time.Duration(math.MaxInt64)
	if c.Control.timed() {
		budget = min(c.Left/movesToGo+c.Control.Increment/4*3, c.Left/5*4)
	}
	if c.Control.Turn > 0 {
		budget = min(budget, c.Control.Turn/10*9)
	}
	return budget, true
}

// Reserve returns the time after the Budget in which a player may still check
// the move that it has chosen: half of what is left of the limit, and no more than
// the Budget itself; 0 if there is no limit.
func (c Clock) Reserve() time.Duration {
	budget, limited := c.Budget()
	if !limited {
		return 0
	}
	limit, _ := c.Limit()
	return max(0, min(budget, (limit-budget)/2))
}

// Time is the source of time of a match.
type Time interface {
	// Now returns the current time; only differences are read.
	Now() time.Time

	// WithTimeout is context.WithTimeout measured by this source.
	WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc)
}

// SystemTime is the real time.
type SystemTime struct{}

// Now returns time.Now.
func (SystemTime) Now() time.Time { return time.Now() }

// WithTimeout returns context.WithTimeout.
func (SystemTime) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}
