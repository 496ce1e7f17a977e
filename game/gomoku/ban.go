package gomoku

import (
	"strings"

	"github.com/carozero/carozero/game"
)

// Bans is the set of reasons for which a cell is forbidden to a side.
type Bans uint8

// The reasons, by the rule that they belong to: the first three are renju's,
// in the words of the RIF rules.
const (
	Overline    Bans = 1 << iota // six or more in a row
	DoubleFour                   // two fours or more at once
	DoubleThree                  // two threes or more at once, of those that count
	FreeThrees                   // two free-threes at once, under the double-three rule
	TooClose                     // closer to the first stone than the opening rule allows
)

// banNames are the names of the reasons, in the order of their bits.
var banNames = [...]string{"overline", "double-four", "double-three", "free-three", "open-rule"}

// Names returns the names of the reasons in the order of their bits: overline,
// double-four, double-three, free-three, open-rule.
func (s Bans) Names() []string {
	var names []string
	for i, name := range banNames {
		if s>>i&1 != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names, joined by "+".
func (s Bans) String() string { return strings.Join(s.Names(), "+") }

// Bans returns why side, were it to move, could not play an empty cell, the empty set
// if it could. It ignores the outcome.
func (b *Board) Bans(side game.Side, cell int) (s Bans) {
	if b.AllowedFor(side, cell) || b.cells[cell] != Empty {
		return 0
	}
	if b.rules.OpenDistance > 0 && b.tooClose(side, cell) {
		s |= TooClose
	}
	switch {
	case b.rules.Renju[side]:
		s |= b.renjuBans(side, cell)
	case b.rules.DoubleThree && b.doubleThree(side, cell):
		s |= FreeThrees
	}
	return s
}

// renjuBans returns all reasons for which the renju rules forbid a stone.
func (b *Board) renjuBans(side game.Side, cell int) (s Bans) {
	made := b.renjuShapes(side, cell)
	if made.five {
		return 0
	}
	if made.overline {
		s |= Overline
	}
	if made.fours >= 2 {
		s |= DoubleFour
	}
	if made.threes >= 2 && b.doubleThreeStands(side, cell, &made) {
		s |= DoubleThree
	}
	return s
}
