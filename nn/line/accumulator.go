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

	numbers  *numbering
	channels uint32 // K

	size, cells int
	stones      int
	stood       [2][gomoku.MaxSize]uint32 // the stones that the sums are of
	lines       [pattern.Directions]track
	quads       [maxCells]uint32

	sumAt [maxCells]uint32 // where in sums a cell's region begins
	share [regions]int32   // 2^20 / cells of the region
	whole int32            // 2^20 / cells of the board

	acc  []int16 // [cell][side][K]
	sums []int16 // [region][side][K], of acc within 0..maxFeature

	lineOps, codeOps operations
	list             list

	scratch scratch
}

// track keeps the lines of all cells in one direction. Slots number the cells in
// such an order that those of a line follow each other.
type track struct {
	rows       [2][maxSlots]uint32 // by side: where the row of a cell's line begins in features
	acc, sumAt [maxSlots]uint32    // where what belongs to the cell begins
	slot       [maxCells]uint16
}

const (
	maxCells = gomoku.MaxSize * gomoku.MaxSize
	maxSlots = maxCells + spare
	spare    = 16 // that kernels may read and write behind what they are called for

	cellsRound = 512 // a power of two above maxCells
)

// operations replace rows of features, by another for either side, in the sums of
// a cell. Offsets count elements of acc, sums and features. Those of codes name, by
// side, rows of its own codes; the other side sees the same row of oppCodes.
type operations struct {
	acc, sum [opsRoom]uint32
	add, sub [2][opsRoom]uint32
	count    int
}

// list has the cells on which the quads change, by a stone.
type list struct {
	cells, now, was [listRoom + spare]uint32
	count           int
}

// listRoom is a power of two, and room for the cells of a stone's windows.
const listRoom = 64

// opsOfStone is how many operations of either kind a stone has at most: one for
// each cell of its windows.
const (
	opsOfStone = pattern.Directions*(2*pattern.Reach+1) + spare
	opsRoom    = 256
)

// NewAccumulator returns the accumulator of a board, which it reads from now on
// whenever it is asked.
func NewAccumulator(n *Network, b *pattern.Board) *Accumulator {
	return newAccumulator(n, b, fastest())
}

func newAccumulator(n *Network, b *pattern.Board, does *kernels) *Accumulator {
	size := b.Board().Size()
	a := &Accumulator{
		net: n, board: b, does: does, numbers: numbers(), channels: uint32(n.channels), size: size, cells: size * size,
		acc:  make([]int16, 2*size*size*n.channels),
		sums: make([]int16, 2*regions*n.channels),
	}
	a.scratch = newScratch(n, size)
	var count [regions]int
	for c := range a.cells {
		r := 3*(3*(c/size)/size) + 3*(c%size)/size
		a.sumAt[c] = uint32(2*r) * a.channels
		count[r]++
	}
	for r, cells := range count {
		a.share[r] = int32(1 << 20 / cells)
	}
	a.whole = int32(1 << 20 / a.cells)
	for d := range a.lines {
		a.layOut(d)
	}
	a.begin()
	return a
}

// layOut numbers the slots of a direction.
func (a *Accumulator) layOut(d int) {
	t, next := &a.lines[d], 0
	zeros := (ownCodes + noRow) * a.channels
	for c := range a.cells {
		x, y := c%a.size, c/a.size
		if x >= steps[d][0] && x-steps[d][0] < a.size && y >= steps[d][1] {
			continue // not the first of its line
		}
		for ; x >= 0 && x < a.size && y < a.size; x, y = x+steps[d][0], y+steps[d][1] {
			cell := y*a.size + x
			t.slot[cell] = uint16(next)
			t.acc[next], t.sumAt[next] = 2*uint32(cell)*a.channels, a.sumAt[cell]
			t.rows[0][next], t.rows[1][next] = zeros, zeros
			next++
		}
	}
}

// steps are those from a cell to the next one of a line, by direction.
var steps = [pattern.Directions][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}}

// Rebind makes the accumulator read another board of the same size and rules.
func (a *Accumulator) Rebind(b *pattern.Board) { a.board = b }

// begin computes everything, from rows of zeros on.
func (a *Accumulator) begin() {
	for c := range a.cells {
		a.quads[c] = pattern.NoQuads
	}
	for c := range a.cells {
		a.refresh(c)
	}
	a.flush()
	for y := range a.size {
		a.take(y, a.board.Board().Row(game.First, y), a.board.Board().Row(game.Second, y))
	}
}

// flush carries out what was noted.
func (a *Accumulator) flush() {
	a.does.update(a.net.channels, a.net.features, a.acc, a.sums, &a.lineOps)
	a.does.updateCodes(a.net.channels, a.net.features, a.acc, a.sums, &a.codeOps)
	a.lineOps.count, a.codeOps.count = 0, 0
}

// sync brings the sums up to date.
func (a *Accumulator) sync() {
	b := a.board.Board()
	for y := range a.size {
		one, two := b.Row(game.First, y), b.Row(game.Second, y)
		changed := (one ^ a.stood[0][y]) | (two ^ a.stood[1][y])
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
	a.stones += bits.OnesCount32(one|two) - bits.OnesCount32(a.stood[0][y]|a.stood[1][y])
	a.stood[0][y], a.stood[1][y] = one, two
}

// refresh notes what changes on the cells that see the stone on a cell. It is the
// hot loop of the package and branches on no content, which nobody could predict.
func (a *Accumulator) refresh(c int) {
	if max(a.lineOps.count, a.codeOps.count) > opsRoom-opsOfStone {
		a.flush()
	}
	b, list, changed := a.board, &a.list, 0
	for d := range pattern.Directions {
		w := b.Window(c, d)
		t := &a.lines[d]
		a.does.window(&a.lineOps, t, a.numbers, int(t.slot[w.Cell]), w.Len, w.Keys, a.channels)
		cell := w.Cell
		for range w.Len {
			state, at := &a.quads[cell&(cellsRound-1)], changed&(listRoom-1)
			now, was := b.Quads(cell), *state
			*state = now
			list.cells[at], list.now[at], list.was[at] = uint32(cell), now, was
			next := changed + 1
			if now == was {
				next = changed
			}
			changed = next
			cell += w.Step
		}
	}
	if list.count = changed; changed > 0 {
		a.does.recode(&a.codeOps, list, a.numbers, &a.sumAt, a.channels)
	}
}
