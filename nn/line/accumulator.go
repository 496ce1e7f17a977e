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

	size, cells int
	stones      int
	rows        [2][gomoku.MaxSize]uint32 // the stones that the sums are of
	keys        [maxCells][pattern.Directions]uint32
	lines       [maxCells][pattern.Directions][2]uint32 // row in features, by side
	codes       [maxCells][2]uint16                     // noCode where a stone stands

	region [maxCells]uint8
	share  [regions]int32 // 2^20 / cells of the region
	whole  int32          // 2^20 / cells of the board

	acc  []int16 // [side][cell][K]
	sums []int16 // [side][region][K], of acc within 0..maxFeature
	ops  []op

	scratch scratch
}

// op replaces a row of features in the sum of a cell as one side sees it. Offsets
// count elements of acc, sums and features.
type op struct{ acc, sum, add, sub uint32 }

const maxCells = gomoku.MaxSize * gomoku.MaxSize

// opsRoom is room for the operations of two stones, and of one line more.
const opsRoom = 1024

// NewAccumulator returns the accumulator of a board, which it reads from now on
// whenever it is asked.
func NewAccumulator(n *Network, b *pattern.Board) *Accumulator {
	size := b.Board().Size()
	a := &Accumulator{
		net: n, does: fastest(), size: size, cells: size * size,
		acc:  make([]int16, 2*size*size*n.channels),
		sums: make([]int16, 2*regions*n.channels),
		ops:  make([]op, 0, opsRoom),
	}
	a.scratch = newScratch(n, size)
	var count [regions]int
	for c := range a.cells {
		r := 3*(3*(c/size)/size) + 3*(c%size)/size
		a.region[c] = uint8(r)
		count[r]++
	}
	for r, cells := range count {
		a.share[r] = int32(1 << 20 / cells)
	}
	a.whole = int32(1 << 20 / a.cells)
	a.board = emptyBoard(b)
	a.begin()
	a.board = b
	return a
}

// Rebind makes the accumulator read another board of the same size and rules.
func (a *Accumulator) Rebind(b *pattern.Board) { a.board = b }

// emptyBoard returns the board without stones of b's rules and size.
func emptyBoard(b *pattern.Board) *pattern.Board {
	empty, err := pattern.New(b.Board().Rules(), b.Board().Size())
	if err != nil {
		panic(err) // b exists
	}
	return empty
}

// begin computes everything for the empty board.
func (a *Accumulator) begin() {
	for c := range a.cells {
		for d := range pattern.Directions {
			w := a.board.Window(c, d)
			key := w.Keys >> (2 * uint((c-w.Cell)/w.Step)) & keyMask
			a.keys[c][d] = uint32(key)
			for side := range 2 {
				a.lines[c][d][side] = numberings()[side].of(key)
				a.add(c, side, a.lines[c][d][side])
			}
		}
		first, second, _ := a.board.Codes(c)
		a.codes[c] = [2]uint16{first, second}
		for side := range 2 {
			a.add(c, side, ownCodes+uint32(a.codes[c][side]))
			a.add(c, side, oppCodes+uint32(a.codes[c][1-side]))
		}
	}
	a.flush()
}

// keyMask covers one key.
const keyMask = 1<<pattern.KeyBits - 1

// add adds a row to the sum of a cell, in place of one of zeros.
func (a *Accumulator) add(c, side int, row uint32) { a.replace(c, side, row, ownCodes+noRow) }

// replace notes that the row in the sum of a cell becomes another one.
func (a *Accumulator) replace(c, side int, row, was uint32) {
	k := uint32(a.net.channels)
	a.ops = append(a.ops, op{
		acc: uint32(side*a.cells+c) * k,
		sum: uint32(side*regions+int(a.region[c])) * k,
		add: row * k, sub: was * k,
	})
}

// flush carries out what was noted.
func (a *Accumulator) flush() {
	a.does.update(a.net.channels, a.net.features, a.acc, a.sums, a.ops)
	a.ops = a.ops[:0]
}

// sync brings the sums up to date.
func (a *Accumulator) sync() {
	b := a.board.Board()
	for y := range a.size {
		one, two := b.Row(game.First, y), b.Row(game.Second, y)
		changed := (one ^ a.rows[0][y]) | (two ^ a.rows[1][y])
		a.stones += bits.OnesCount32(one|two) - bits.OnesCount32(a.rows[0][y]|a.rows[1][y])
		a.rows[0][y], a.rows[1][y] = one, two
		for ; changed != 0; changed &= changed - 1 {
			a.refresh(y*a.size + bits.TrailingZeros32(changed))
		}
	}
}

// refresh brings the cells up to date that see the stone on a cell.
func (a *Accumulator) refresh(c int) {
	sides := numberings()
	for d := range pattern.Directions {
		w := a.board.Window(c, d)
		cell, keys := w.Cell, w.Keys
		for range w.Len {
			if key := uint32(keys & keyMask); key != a.keys[cell][d] {
				a.keys[cell][d] = key
				lines := &a.lines[cell][d]
				for side := range 2 {
					was := lines[side]
					lines[side] = sides[side].of(uint64(key))
					a.replace(cell, side, lines[side], was)
				}
			}
			a.recode(cell)
			keys >>= 2
			cell += w.Step
		}
	}
	a.flush()
}

// recode brings the codes of a cell up to date.
func (a *Accumulator) recode(c int) {
	first, second, ok := a.board.Codes(c)
	if !ok {
		first, second = uint16(noCode), uint16(noCode)
	}
	now, was := [2]uint16{first, second}, a.codes[c]
	if now == was {
		return
	}
	a.codes[c] = now
	for side := range 2 {
		if now[side] != was[side] {
			a.replace(c, side, ownCodes+uint32(now[side]), ownCodes+uint32(was[side]))
			a.replace(c, 1-side, oppCodes+uint32(now[side]), oppCodes+uint32(was[side]))
		}
	}
}
