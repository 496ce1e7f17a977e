package arena

import (
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
