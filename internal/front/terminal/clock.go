package terminal

import (
	"fmt"
	"time"

	"github.com/carozero/carozero/game"
)

// clock counts the time that each side has taken in a game.
type clock struct {
	spent [2]time.Duration
	side  game.Side // whose time runs
	since time.Time // when it began to, or was counted last; zero: no time runs
}

// change lets the clock of the side to move run, neither after the end.
func (c *clock) change(m *model) {
	c.count(m)
	c.side, c.since = m.record.pos.ToMove(), m.now()
	if m.over() {
		c.since = time.Time{}
	}
}

// tick counts the time that has passed.
func (c *clock) tick(m *model) { c.count(m) }

func (c *clock) count(m *model) {
	if c.since.IsZero() {
		return
	}
	now := m.now()
	c.spent[c.side] += max(0, now.Sub(c.since))
	c.since = now
}

// text returns the time of a side as minutes and seconds.
func (c *clock) text(side game.Side) string {
	s := int(c.spent[side] / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
