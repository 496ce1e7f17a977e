package pattern

import "github.com/carozero/carozero/game/gomoku"

// Shapes tells the shapes of lines under one rule set. It never changes and may be
// shared.
type Shapes struct{ table *table }

// ShapesOf returns the shapes of a rule set.
func ShapesOf(r gomoku.Rules) Shapes { return Shapes{tables.tableFor(&r)} }

// At returns the numbers, below Numbers, of the shapes that a stone of First and one
// of Second make on the empty cell in the middle of a line, given by a key as
// Window has it.
func (s Shapes) At(key uint64) (first, second uint8) {
	v := s.table.at(key)
	return uint8(v & 15), uint8(v >> 4)
}
