package gomoku

import (
	"math/bits"
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

// verdict is what the renju rules say of a move of a restricted side.
type verdict uint8

const (
	renjuFree verdict = iota
	renjuForbidden
	renjuFive // exactly five: allowed whatever else the move makes
)

// shapes is what a stone of a restricted side makes.
type shapes struct {
	five, overline bool
	fours, threes  int
	points         [directions]uint32 // that make a three a straight four
}

// renju returns the verdict on a stone of side on an empty cell by articles 9.2 and 9.3
// of the RIF rules. The definition is recursive: whether a three counts depends on whether
// the cell that makes it a straight four is forbidden after the first stone. Each level
// adds a stone, so the recursion ends.
func (b *Board) renju(side game.Side, cell int) verdict {
	made := b.renjuShapes(side, cell)
	switch {
	case made.five:
		return renjuFive
	case made.overline || made.fours >= 2:
		return renjuForbidden
	case made.threes >= 2 && b.doubleThreeStands(side, cell, &made):
		return renjuForbidden
	}
	return renjuFree
}

// renjuShapes returns what a stone of side on an empty cell makes. If it makes exactly
// five, nothing else is computed.
func (b *Board) renjuShapes(side game.Side, cell int) (s shapes) {
	w, p := &b.lines[side], &b.geo.place[cell]
	for d := range directions {
		line, bit := int(p.line[d]), uint(p.bit[d])&31
		own := w[line]
		if near := own >> (bit - 4) & nearby; near&(near-1) == 0 {
			continue
		}
		own |= 1 << bit
		switch length := above(own, bit) - below(own, bit) - 1; {
		case length == 5:
			s.five = true
			return s
		case length > 5:
			s.overline = true
		}
		empty := b.emptyIn(line) &^ (1 << bit)
		s.fours += fourCount(own, empty, bit)
		if s.points[d] = threePoints(own, empty, bit, true); s.points[d] != 0 {
			s.threes++
		}
	}
	return s
}

// doubleThreeStands reports whether at least two of the threes that a stone on
// cell makes can become straight fours.
func (b *Board) doubleThreeStands(side game.Side, cell int, s *shapes) bool {
	p, threes := &b.geo.place[cell], s.threes
	b.toggle(side, cell)
	for d := 0; d < directions && threes >= 2; d++ {
		if s.points[d] != 0 && !b.straightens(side, d, int(p.line[d]), s.points[d]) {
			threes--
		}
	}
	b.toggle(side, cell)
	return threes >= 2
}

// straightens reports whether a three becomes a straight four by a stone on
// one of points that neither makes five nor is forbidden.
func (b *Board) straightens(side game.Side, d, line int, points uint32) bool {
	for ; points != 0; points &= points - 1 {
		if b.renju(side, b.geo.cell(d, line, bits.TrailingZeros32(points))) == renjuFree {
			return true
		}
	}
	return false
}

// closedCells remembers the empty cells that the side to move may not play.
type closedCells struct {
	known bool
	rows  rows
}

// nearby selects, from a line shifted so that a cell four before the one in
// question is bit 0, the four cells on either side of it.
const nearby = 0b1_1110_1111

// AllowedFor reports whether side, were it to move, could legally play cell.
// cell may be any number. The outcome is ignored.
func (b *Board) AllowedFor(side game.Side, cell int) bool {
	if uint(cell) >= uint(b.geo.cells) || b.cells[cell] != Empty {
		return false
	}
	return !b.restricted[side] || !b.closedTo(side, cell)
}

// Forbidden appends, in ascending order, the empty cells that the side to move
// may not play.
func (b *Board) Forbidden(buf []game.Move) []game.Move {
	if !b.restricted[b.toMove] {
		return buf
	}
	return b.appendMarked(buf, b.closedRows())
}

// closedTo reports whether an empty cell is closed to a side.
func (b *Board) closedTo(side game.Side, cell int) bool {
	if b.rules.OpenDistance > 0 && b.tooClose(side, cell) {
		return true
	}
	return b.crowded(side, cell) && b.overreaches(side, cell)
}

// overreaches reports whether the renju or the double-three rule forbids side an empty
// cell.
func (b *Board) overreaches(side game.Side, cell int) bool {
	if b.rules.Renju[side] {
		return b.renju(side, cell) == renjuForbidden
	}
	return b.rules.DoubleThree && b.doubleThree(side, cell)
}

// closedRows returns the empty cells closed to the side to move, computing
// them at the first call for a position.
func (b *Board) closedRows() *rows {
	if b.closed.known {
		return &b.closed.rows
	}
	side := b.toMove
	b.closed.rows = rows{}
	b.closed.known = true
	opening := b.rules.OpenDistance > 0 && b.stones == 2
	for y := range b.geo.size {
		suspects := b.emptyIn(rowBase + y)
		if !opening {
			suspects &= b.crowdedIn(side, y)
		}
		for ; suspects != 0; suspects &= suspects - 1 {
			bit := bits.TrailingZeros32(suspects)
			cell := y*b.geo.size + bit - pad
			if opening && b.tooClose(side, cell) || b.overreaches(side, cell) {
				b.closed.rows[y] |= 1 << bit
			}
		}
	}
	return &b.closed.rows
}

// canMove reports whether the side to move has a legal move.
func (b *Board) canMove() bool {
	for y := range b.geo.size {
		for free := b.emptyIn(rowBase + y); free != 0; free &= free - 1 {
			cell := y*b.geo.size + bits.TrailingZeros32(free) - pad
			if !b.closedTo(b.toMove, cell) {
				return true
			}
		}
	}
	return false
}

// tooClose reports whether the opening distance closes a cell to side. It
// holds for First's second stone, seen from the position alone: one stone of
// either side and none captured.
func (b *Board) tooClose(side game.Side, cell int) bool {
	if side != game.First || b.stones != 2 || b.captured != [2]int{} {
		return false
	}
	first := -1
	for c, s := range b.cells[:b.geo.cells] {
		if s == FirstStone {
			if first >= 0 {
				return false
			}
			first = c
		}
	}
	if first < 0 {
		return false
	}
	size := b.geo.size
	dx, dy := cell%size-first%size, cell/size-first/size
	return max(dx, -dx, dy, -dy) < b.rules.OpenDistance
}

// crowded reports whether an empty cell has enough stones of side around it
// for a restriction to matter: within four cells of it two stones on each of
// two lines, or four on one. An overline has five stones beside the new one,
// two fours on one line have four, a four three, and a three two.
func (b *Board) crowded(side game.Side, cell int) bool {
	w, p := &b.lines[side], &b.geo.place[cell]
	twos := 0
	for d := range directions {
		near := w[p.line[d]] >> ((p.bit[d] - 4) & 31) & nearby
		near &= near - 1
		if near == 0 {
			continue
		}
		twos++
		near &= near - 1
		if near&(near-1) != 0 {
			return true
		}
	}
	return twos >= 2
}

// crowdedIn returns the bits of row y for which crowded holds, empty or not,
// for all cells of the row at once. A row k above or below is shifted by k for
// the diagonals and by nothing for the columns.
func (b *Board) crowdedIn(side game.Side, y int) uint32 {
	w, row := &b.lines[side], rowBase+y
	var across, up, rising, falling tally
	for k := 1; k <= 4; k++ {
		at, over, under := w[row], w[row+k], w[row-k]
		across.add(at>>k, at<<k)
		up.add(over, under)
		rising.add(over>>k, under<<k)
		falling.add(over<<k, under>>k)
	}
	a, u, r, f := across.many(), up.many(), rising.many(), falling.many()
	return a&u | (a|u)&(r|f) | r&f | across.four | up.four | rising.four | falling.four
}

// tally counts up to four for each bit of a word, in binary digits.
type tally struct{ one, two, four uint32 }

func (t *tally) add(a, b uint32) {
	one, carry := t.one^a^b, t.one&a|t.one&b|a&b
	t.four |= t.two & carry
	t.one, t.two = one, t.two^carry
}

// many returns the bits counted twice or more.
func (t *tally) many() uint32 { return t.two | t.four }
