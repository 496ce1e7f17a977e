package gomoku

// The board is kept as lines: a word of 32 bits for every row, column and
// diagonal, for either side. Cell k of a line, counted from its start, is bit
// pad+k; the pad bits at either end are never set in a stone word, so shifts
// by up to five neither leave the word nor reach a neighbour when two words
// travel as the halves of a uint64.
const pad = 5

// Lines are numbered through all directions. Five unused lines stand before
// and after the rows, so that the row above or below is always there to read.
const (
	rowBase   = pad
	colBase   = rowBase + MaxSize + pad
	diagBase  = colBase + MaxSize
	antiBase  = diagBase + 2*MaxSize
	lineCount = antiBase + 2*MaxSize
)

// directions is the number of directions of lines: rows (x grows), columns (y
// grows), diagonals (both grow) and antidiagonals (x shrinks, y grows).
const directions = 4

// words holds one word of stones for every line.
type words [lineCount]uint32

// pair returns the words of lines i and i+1, the first in the low half.
func (w *words) pair(i int) uint64 { return uint64(w[i]) | uint64(w[i+1])<<32 }

// place says where a cell is found in its four lines.
type place struct {
	line [directions]uint8
	bit  [directions]uint8
}

// span is the range lo..hi-1 of the lines of one direction that have four
// cells or more.
type span struct{ lo, hi int }

// geometry is what depends on the board's size alone. It never changes.
type geometry struct {
	size, cells int
	valid       words // the bits of cells on the board
	place       [maxCells]place
	span        [directions]span
	step        [directions]int // from a cell to the next one of its line
	origin      [lineCount]int16
}

var geometries = newGeometries()

func newGeometries() *[MaxSize + 1]*geometry {
	var all [MaxSize + 1]*geometry
	for size := MinSize; size <= MaxSize; size++ {
		all[size] = newGeometry(size)
	}
	return &all
}

func newGeometry(size int) *geometry {
	const shortest = 4
	short := shortest - 1
	g := &geometry{
		size:  size,
		cells: size * size,
		span: [directions]span{
			{rowBase, rowBase + size},
			{colBase, colBase + size},
			{diagBase + short, diagBase + 2*size - 1 - short},
			{antiBase + short, antiBase + 2*size - 1 - short},
		},
		step: [directions]int{1, size, size + 1, size - 1},
	}
	for y := range size {
		for x := range size {
			c := y*size + x
			line := [directions]int{rowBase + y, colBase + x, diagBase + x - y + size - 1, antiBase + x + y}
			at := [directions]int{x, y, min(x, y), min(y, size-1-x)}
			for d := range directions {
				g.place[c].line[d] = uint8(line[d])
				g.place[c].bit[d] = uint8(pad + at[d])
				g.valid[line[d]] |= 1 << (pad + at[d])
				g.origin[line[d]] = int16(c - (pad+at[d])*g.step[d])
			}
		}
	}
	return g
}

// cell returns the cell at a bit of a line of direction d.
func (g *geometry) cell(d, line, bit int) int {
	return int(g.origin[line]) + bit*g.step[d]
}

// rows is a set of cells: one word a row, bits as in row lines.
type rows [MaxSize]uint32

func (r *rows) add(g *geometry, cell int) {
	p := &g.place[cell]
	r[p.line[0]-rowBase] |= 1 << p.bit[0]
}
