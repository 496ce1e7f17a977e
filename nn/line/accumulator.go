package line

import (
	"math/bits"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Accumulator keeps the features of a board that moves: for each cell the sum of
// the rows of its four lines and of its codes, as either side sees them, and the
// sums of the features over the regions of the board. Whoever asks first brings it
// up to date, by the difference to the position that was asked about before; so
// neither a move nor taking it back costs anything, and the sums, being integers,
// are those of a fresh start. It belongs to one goroutine.
type Accumulator struct {
	net   *Network
	board *pattern.Board
	does  *kernels

	numbers *numbering

	size, cells int
	stones      int
	rows        [2][gomoku.MaxSize]uint32               // the stones that the sums are of
	lines       [maxCells][pattern.Directions][2]uint32 // row in features, by side
	quads       [maxCells]uint32

	sumAt [maxCells]uint32 // where in sums a cell's region begins
	share [regions]int32   // 2^20 / cells of the region
	whole int32            // 2^20 / cells of the board

	acc   []int16 // [cell][side][K]
	sums  []int16 // [region][side][K], of acc within 0..maxFeature
	ops   [opsRoom]op
	count int // of ops

	scratch scratch
}

// op replaces a row of features, by another for either side, in the sums of a
// cell. Offsets count elements of acc, sums and features.
type op struct {
	acc, sum uint32
	add, sub [2]uint32
}

const maxCells = gomoku.MaxSize * gomoku.MaxSize

// opsRoom is room for the operations of two stones: each has opsOfStone at most, a
// line and the codes of two sides for the cells of its windows.
const (
	opsOfStone = 3 * pattern.Directions * (2*pattern.Reach + 1)
	opsRoom    = 256
)

// NewAccumulator returns the accumulator of a board, which it reads from now on
// whenever it is asked.
func NewAccumulator(n *Network, b *pattern.Board) *Accumulator {
	size := b.Board().Size()
	a := &Accumulator{
		net: n, board: b, does: fastest(), numbers: numbers(), size: size, cells: size * size,
		acc:  make([]int16, 2*size*size*n.channels),
		sums: make([]int16, 2*regions*n.channels),
	}
	a.scratch = newScratch(n, size)
	var count [regions]int
	for c := range a.cells {
		r := 3*(3*(c/size)/size) + 3*(c%size)/size
		a.sumAt[c] = uint32(2 * r * n.channels)
		count[r]++
	}
	for r, cells := range count {
		a.share[r] = int32(1 << 20 / cells)
	}
	a.whole = int32(1 << 20 / a.cells)
	a.begin()
	return a
}

// Rebind makes the accumulator read another board of the same size and rules.
func (a *Accumulator) Rebind(b *pattern.Board) { a.board = b }

// begin computes everything, from rows of zeros on.
func (a *Accumulator) begin() {
	zeros := (ownCodes + noRow) * uint32(a.net.channels)
	for c := range a.cells {
		a.quads[c] = pattern.NoQuads
		for d := range pattern.Directions {
			a.lines[c][d] = [2]uint32{zeros, zeros}
		}
	}
	for c := range a.cells {
		for d := range pattern.Directions {
			w := a.board.Window(c, d)
			a.line(c, d, w.Keys>>(2*uint((c-w.Cell)/w.Step)))
		}
		a.code(c)
		a.flush()
	}
	for y := range a.size {
		a.take(y, a.board.Board().Row(game.First, y), a.board.Board().Row(game.Second, y))
	}
}

// flush carries out what was noted.
func (a *Accumulator) flush() {
	a.does.update(a.net.channels, a.net.features, a.acc, a.sums, a.ops[:a.count])
	a.count = 0
}

// sync brings the sums up to date.
func (a *Accumulator) sync() {
	b := a.board.Board()
	for y := range a.size {
		one, two := b.Row(game.First, y), b.Row(game.Second, y)
		changed := (one ^ a.rows[0][y]) | (two ^ a.rows[1][y])
		if changed == 0 {
			continue
		}
		a.take(y, one, two)
		for ; changed != 0; changed &= changed - 1 {
			a.refresh(y*a.size + bits.TrailingZeros32(changed))
		}
	}
	a.flush()
}

// take takes the stones of a row for those that the sums are of.
func (a *Accumulator) take(y int, one, two uint32) {
	a.stones += bits.OnesCount32(one|two) - bits.OnesCount32(a.rows[0][y]|a.rows[1][y])
	a.rows[0][y], a.rows[1][y] = one, two
}

// refresh notes what changes on the cells that see the stone on a cell.
func (a *Accumulator) refresh(c int) {
	if a.count > opsRoom-opsOfStone {
		a.flush()
	}
	for d := range pattern.Directions {
		w := a.board.Window(c, d)
		cell, keys := w.Cell, w.Keys
		for range w.Len {
			a.line(cell, d, keys)
			a.code(cell)
			keys >>= 2
			cell += w.Step
		}
	}
}

// line gives a cell the line with a key.
func (a *Accumulator) line(c, d int, key uint64) {
	k := uint32(a.net.channels)
	first, second := a.numbers.of(key)
	now, lines := [2]uint32{first * k, second * k}, &a.lines[c][d]
	if now != *lines {
		a.replace(c, now, *lines)
		*lines = now
	}
}

// code gives a cell the codes that it has now.
func (a *Accumulator) code(c int) {
	now, was := a.board.Quads(c), a.quads[c]
	if now == was {
		return
	}
	a.quads[c] = now
	k, codes := uint32(a.net.channels), &a.numbers.codes
	if one, two := uint32(codes[now&0xffff]), uint32(codes[was&0xffff]); one != two {
		a.replace(c, [2]uint32{(ownCodes + one) * k, (oppCodes + one) * k}, [2]uint32{(ownCodes + two) * k, (oppCodes + two) * k})
	}
	if one, two := uint32(codes[now>>16]), uint32(codes[was>>16]); one != two {
		a.replace(c, [2]uint32{(oppCodes + one) * k, (ownCodes + one) * k}, [2]uint32{(oppCodes + two) * k, (ownCodes + two) * k})
	}
}

// replace notes that rows in the sums of a cell become other ones.
func (a *Accumulator) replace(c int, rows, was [2]uint32) {
	a.ops[a.count&(opsRoom-1)] = op{acc: uint32(2 * c * a.net.channels), sum: a.sumAt[c], add: rows, sub: was}
	a.count++
}
