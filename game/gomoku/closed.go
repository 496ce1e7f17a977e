package gomoku

import (
	"math/bits"

	"github.com/carozero/carozero/game"
)

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
