package line

import (
	"sync"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// neighbourhood lists the cells whose features depend on a cell: those at most reach
// steps from it on its four lines.
type neighbourhood struct {
	// starts are the slots of the first cells of its windows, by direction. A window
	// has 2*reach+1 cells, with the cell in the middle and some perhaps beyond the edge.
	starts [pattern.Directions]uint16

	spots [mostSpots]spot // by regions of the board
	cells [mostSpots]uint16
	count int
}

// spot is a cell of a neighbourhood. window is direction*lanes plus its index in the
// window. region is the cell's region plus one if the next spot is in another region, else
// 0. The cell in the middle is a spot of every direction.
type spot struct {
	cell   uint16
	window uint8
	region uint8
}

const (
	mostSpots = pattern.Directions * (2*reach + 1)
	lanes     = 16 // of a window; five more than it needs
)

// geometry is what depends on the size of the board alone.
type geometry struct {
	neighbourhoods [maxCells]neighbourhood
	region         [maxCells]uint8
	share          [regions]int32 // 2^20 / cells of the region
	bare           lines          // of the empty board, its rows not filled in
}

// geometries has the geometry of every size, computed at the first call.
var geometries = func() (all [gomoku.MaxSize + 1]func() *geometry) {
	for size := range all {
		all[size] = sync.OnceValue(func() *geometry { return newGeometry(size) })
	}
	return all
}()

func newGeometry(size int) *geometry {
	g := new(geometry)
	var count [regions]int
	for c := range size * size {
		r := 3*(3*(c/size)/size) + 3*(c%size)/size
		g.region[c] = uint8(r)
		count[r]++
	}
	for r, cells := range count {
		g.share[r] = int32(1 << 20 / cells)
	}
	for d := range steps {
		g.layOut(size, d)
	}
	for c := range size * size {
		g.gather(size, c)
	}
	return g
}

// steps are those from a cell to the next one of a line, by direction.
var steps = [pattern.Directions][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}}

// layOut numbers the slots of a direction.
func (g *geometry) layOut(size, d int) {
	t, next, step := &g.bare[d], reach, steps[d]
	for c := range size * size {
		x, y := c%size, c/size
		if before := x - step[0]; before >= 0 && before < size && y >= step[1] {
			continue // not the first of its line
		}
		first := next
		for ; x >= 0 && x < size && y < size; x, y = x+step[0], y+step[1] {
			g.neighbourhoods[y*size+x].starts[d] = uint16(next - reach)
			next++
		}
		for i := first; i < next; i++ {
			t.behind[i], t.ahead[i] = bare(i-first), bare(next-1-i)
		}
		next += reach
	}
}

// gather lists the spots of a cell.
func (g *geometry) gather(size, c int) {
	a := &g.neighbourhoods[c]
	for r := range uint8(regions) {
		before := a.count
		for d, step := range steps {
			for i := -reach; i <= reach; i++ {
				x, y := c%size+i*step[0], c/size+i*step[1]
				if x >= 0 && x < size && y >= 0 && y < size && g.region[y*size+x] == r {
					cell := uint16(y*size + x)
					a.cells[a.count], a.spots[a.count] = cell, spot{cell: cell, window: uint8(d*lanes + reach + i)}
					a.count++
				}
			}
		}
		if a.count > before {
			a.spots[a.count-1].region = r + 1
		}
	}
}
