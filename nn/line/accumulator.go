package line

import (
	"math/bits"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Accumulator keeps the features of one board up to date: for each cell and side the sum
// of the rows of its four lines and of its codes, and the sums of the features over the
// regions of the board. It is updated when it is asked, by the difference to the position
// of the last question, so that moves and undoing them cost nothing by themselves. It
// records the last changes and restores them when their stones are gone again. The sums
// are integers and always equal those computed from scratch. It belongs to one goroutine.
type Accumulator struct {
	net     *Network
	board   *pattern.Board
	kernels *kernels
	geo     *geometry
	codes   *codeTable

	size, cells  int
	stones       int
	syncedStones [2][gomoku.MaxSize]uint32 // the stones that the sums are of
	lines        lines
	codeRows     [maxCells]codeRows // of which the sums are
	quads        [mostSpots]uint32  // scratch
	whole        int32              // 2^20 / cells of the board
	rowLen       uint32             // of packed.rows, 2K

	acc  []int16 // [cell][side][K]
	sums []int16 // [region][side][K], of acc within 0..maxFeature; in sumsOf

	// Records bottom..top-1 lie at their numbers modulo remembered, with the former
	// values of acc at their spots, [record][spot][side][K]. The last of their steps has
	// number step; sumsOf has the sums after each step, at its number modulo remembered.
	bottom, top       int
	step              int
	records           [remembered]record
	spotsWere, sumsOf []int16

	scratch scratch
}

const (
	maxSize  = gomoku.MaxSize
	maxCells = maxSize * maxSize
)

// NewAccumulator returns an accumulator that follows a board.
func NewAccumulator(n *Network, b *pattern.Board) *Accumulator {
	return newAccumulator(n, b, fastest())
}

func newAccumulator(n *Network, b *pattern.Board, k *kernels) *Accumulator {
	size, both := b.Board().Size(), 2*n.channels
	a := &Accumulator{
		net: n, board: b, kernels: k, geo: geometries[size](), codes: codeTables[n.channels/16](), size: size, cells: size * size,
		whole: int32(1 << 20 / (size * size)), rowLen: uint32(both),
		acc:       make([]int16, size*size*both),
		spotsWere: make([]int16, remembered*mostSpots*both), sumsOf: make([]int16, remembered*regions*both),
	}
	a.take(0)
	a.scratch = newScratch(n, size)
	a.begin()
	return a
}

// Rebind makes the accumulator read another board of the same size and rules.
func (a *Accumulator) Rebind(b *pattern.Board) { a.board = b }

// begin computes everything for an empty board with the codes of this one; sync then adds
// the stones.
func (a *Accumulator) begin() {
	a.lines = a.geo.bare
	for d := range a.lines {
		t := &a.lines[d]
		for i := range t.rows {
			t.rows[i] = pair(t.behind[i], t.ahead[i]) * a.rowLen
		}
	}
	both, found := 2*a.net.channels, [mostSpots]codeRows{}
	for c := range a.cells {
		a.lookUp([]uint16{uint16(c)}, &found)
		a.codeRows[c] = found[0]
		var rows [pattern.Directions]uint32
		for d, start := range a.geo.neighbourhoods[c].starts {
			rows[d] = a.lines[d].rows[start+reach]
		}
		acc, sums := a.acc[c*both:][:both], a.sums[int(a.geo.region[c])*both:][:both]
		all := found[0].rows(rows[0], both)
		for _, row := range append(all[:], rows[1:]...) {
			for k, x := range a.net.packed.rows[row:][:both] {
				acc[k] += int16(x)
			}
		}
		for k, x := range acc {
			sums[k] += feature(x)
		}
	}
	a.sync()
	a.bottom = a.top
}

// lookUp looks up the rows of the codes of some cells.
func (a *Accumulator) lookUp(cells []uint16, rows *[mostSpots]codeRows) {
	quads, codes := a.quads[:len(cells)], a.codes
	a.board.Quads(cells, quads)
	for i, q := range quads {
		now := &rows[i]
		now[0], now[1] = codes[q&0xffff], codes[q>>16]
	}
}

// sync brings the sums up to date.
func (a *Accumulator) sync() {
	for a.goesBack() {
		a.takeBack()
	}
	b, first := a.board.Board(), a.top
	for y := range a.size {
		one, two := b.Row(game.First, y), b.Row(game.Second, y)
		changed := (one ^ a.syncedStones[0][y]) | (two ^ a.syncedStones[1][y])
		for ; changed != 0; changed &= changed - 1 {
			x := bits.TrailingZeros32(changed)
			was := content(a.syncedStones[0][y]>>x, a.syncedStones[1][y]>>x)
			a.change(cellChange{y*a.size + x, was, content(one>>x, two>>x)}, a.top-first+1)
		}
	}
}

// content returns the content of a cell as First sees it, from the lowest bits of its
// stones.
func content(first, second uint32) int { return int(first&1 | second&1<<1) }

// change gives a cell another content and updates the cells of its neighbourhood. It
// records the change as the last of so many in its step.
func (a *Accumulator) change(at cellChange, steps int) {
	r, around := a.record(a.top), &a.geo.neighbourhoods[at.cell]
	r.at, r.steps = at, steps
	if steps == 1 {
		sums := a.sums
		a.take(a.step + 1)
		copy(a.sums, sums)
	}
	a.kernels.turn(a.net, &a.lines, &around.starts, at.turn(), r)
	a.lookUp(around.cells[:around.count], &r.codesNow)
	a.kernels.update(a.net, a.acc, a.sums, a.spotsOf(a.top), &a.codeRows, around, r)
	a.stand(at)
	a.top++
	a.bottom = max(a.bottom, a.top-remembered+1)
}

// stand records the content of a cell.
func (a *Accumulator) stand(at cellChange) {
	x, y := at.cell%a.size, at.cell/a.size
	by := at.was ^ at.now
	a.syncedStones[0][y] ^= uint32(by&1) << x
	a.syncedStones[1][y] ^= uint32(by>>1) << x
	a.stones += min(at.now, 1) - min(at.was, 1)
}
