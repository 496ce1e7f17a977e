package gomoku

// line is one row, column or diagonal of the board. A mask of it has bit i for
// its cell origin + i*step; bits below the first and above the last cell
// stand for the edge.
type line struct {
	cells  uint32 // the bits that are cells
	edges  uint32 // the two bits next to them
	origin int16
	step   int16
}

// at returns the cell of bit i, which must be one of l.cells.
func (l *line) at(i int) int16 { return l.origin + int16(i)*l.step }

// geometry is what depends on the board size alone.
type geometry struct {
	size  int
	lines []line // rows, columns, rising diagonals, falling diagonals
}

func newGeometry(size int) *geometry {
	g := &geometry{size: size, lines: make([]line, 0, 6*size-2)}
	n := int16(size)
	whole := uint32(1)<<size - 1
	for y := range n {
		g.lines = append(g.lines, newLine(whole<<1, y*n-1, 1))
	}
	for x := range n {
		g.lines = append(g.lines, newLine(whole<<1, x-n, n))
	}
	for d := 1 - n; d < n; d++ { // x - y = d; bit x+1
		cells := whole >> max(-d, 0)
		if d > 0 {
			cells = whole >> d << d
		}
		g.lines = append(g.lines, newLine(cells<<1, -1-(d+1)*n, n+1))
	}
	for d := range 2*n - 1 { // x + y = d; bit x+1
		cells := whole >> max(n-1-d, 0)
		if d >= n {
			cells = whole >> (d - n + 1) << (d - n + 1)
		}
		g.lines = append(g.lines, newLine(cells<<1, -1+(d+1)*n, 1-n))
	}
	return g
}

func newLine(cells uint32, origin, step int16) line {
	return line{cells: cells, edges: (cells<<1 | cells>>1) &^ cells, origin: origin, step: step}
}

// set puts a stone at column x, row y into the masks of the four lines through
// that cell.
func (g *geometry) set(masks []uint32, x, y int) {
	n := g.size
	masks[y] |= 2 << x
	masks[n+x] |= 2 << y
	masks[2*n+x-y+n-1] |= 2 << x
	masks[4*n-1+x+y] |= 2 << x
}
