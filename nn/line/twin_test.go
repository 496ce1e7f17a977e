package line

import (
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// twin computes a position from the definition, cell by cell, with no table of
// numbers and nothing kept but the rows of a cell that it has found once.
type twin struct {
	net   *Network
	board *gomoku.Board
	codes *pattern.Board
	rows  map[seenCell][]int
}

type seenCell struct {
	cell int
	side game.Side
}

func newTwin(n *Network, b *gomoku.Board) *twin {
	return &twin{net: n, board: b, codes: pattern.FromBoard(b), rows: map[seenCell][]int{}}
}

// digit is the content of a cell as a side sees it, -1 beyond the edge.
func (t *twin) digit(x, y int, side game.Side) int {
	n := t.board.Size()
	switch {
	case x < 0 || y < 0 || x >= n || y >= n:
		return -1
	case t.board.At(y*n+x) == gomoku.Empty:
		return 0
	case t.board.At(y*n+x).Side() == side:
		return 1
	}
	return 2
}

// arm is the number of the cells from (x, y) outward, the nearest first.
func (t *twin) arm(x, y, dx, dy int, side game.Side) int {
	var digits []int
	for i := 1; i <= 5; i++ {
		d := t.digit(x+i*dx, y+i*dy, side)
		if d < 0 {
			break
		}
		digits = append(digits, d)
	}
	shorter := 0 // arms with fewer cells
	for i, power := 0, 1; i < len(digits); i, power = i+1, power*3 {
		shorter += power
	}
	value := 0
	for _, d := range slices.Backward(digits) {
		value = value*3 + d
	}
	return shorter + value
}

// rowsOf are the rows of features that a cell adds up.
func (t *twin) rowsOf(c int, side game.Side) []int {
	key := seenCell{c, side}
	if rows, ok := t.rows[key]; ok {
		return rows
	}
	size := t.board.Size()
	x, y := c%size, c/size
	var rows []int
	for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}} {
		one, two := t.arm(x, y, d[0], d[1], side), t.arm(x, y, -d[0], -d[1], side)
		if one < two {
			one, two = two, one
		}
		rows = append(rows, t.digit(x, y, side)*pairCount+one*(one+1)/2+two)
	}
	if t.board.At(c) == gomoku.Empty {
		rows = append(rows, lineCount+t.codes.Code(c, side), lineCount+pattern.Codes+1+t.codes.Code(c, side.Other()))
	}
	t.rows[key] = rows
	return rows
}

// sum is what a cell has before it is cut off.
func (t *twin) sum(c int, side game.Side, k int) (total int) {
	for _, row := range t.rowsOf(c, side) {
		total += int(t.net.features[row*t.net.channels+k])
	}
	return total
}

func (t *twin) feature(c int, side game.Side, k int) int { return min(max(t.sum(c, side, k), 0), 127) }

// sides are the two points of view, that of the side to move first.
func (t *twin) sides() [2]game.Side {
	return [2]game.Side{t.board.ToMove(), t.board.ToMove().Other()}
}

func (t *twin) extras() []int {
	stones := 0
	for c := range t.board.Size() * t.board.Size() {
		if t.board.At(c) != gomoku.Empty {
			stones++
		}
	}
	e := make([]int, extras)
	e[0] = stones * 4096 / (t.board.Size() * t.board.Size())
	e[1] = 256 * t.board.Captured(t.sides()[0])
	e[2] = 256 * t.board.Captured(t.sides()[1])
	return e
}

// layer computes a layer's sums, next what follows it reads of them.
func layer(w []int16, b []int32, in []int) []int {
	out := make([]int, len(b))
	for row := range out {
		out[row] = int(b[row])
		for i, x := range in {
			out[row] += int(w[row*len(in)+i]) * x
		}
	}
	return out
}

func next(sums []int) []int {
	out := make([]int, len(sums))
	for i, x := range sums {
		out[i] = min(max(x>>10, 0), 32767)
	}
	return out
}

func (t *twin) value() []int {
	n, size := t.net, t.board.Size()
	var in []int
	for r := range 9 {
		for _, side := range t.sides() {
			for k := range n.channels {
				sum, cells := 0, 0
				for c := range size * size {
					if 3*(3*(c/size)/size)+3*(c%size)/size == r {
						sum += t.feature(c, side, k)
						cells++
					}
				}
				in = append(in, sum*(1<<20/cells)>>14)
			}
		}
	}
	in = append(in, t.extras()...)
	return layer(n.w3, n.b3, next(layer(n.w2, n.b2, next(layer(n.w1, n.b1, in)))))
}

func (t *twin) policy() []int {
	n, size := t.net, t.board.Size()
	k := n.channels
	var in []int
	for _, side := range t.sides() {
		for j := range k {
			sum := 0
			for c := range size * size {
				sum += t.feature(c, side, j)
			}
			in = append(in, sum*(1<<20/(size*size))>>14)
		}
	}
	z := layer(n.g2, n.gb2, next(layer(n.g1, n.gb1, append(in, t.extras()...))))
	logits := make([]int, size*size)
	for c := range logits {
		mixed := t.mixed(c)
		for q := range 16 {
			sum := min(max(z[16*k+q]>>6, -1<<24), 1<<24)
			for j, v := range mixed {
				sum += min(max(z[q*k+j]>>11, -32767), 32767) * v
			}
			if sum < 0 {
				sum >>= 3
			}
			logits[c] += int(n.o[q]) * min(max(sum>>8, -4095), 4095)
		}
	}
	return logits
}

// mixed returns a cell's channels after the convolution.
func (t *twin) mixed(c int) []int {
	n, size := t.net, t.board.Size()
	k := n.channels
	out := make([]int, k)
	for j := range out {
		sum := int(n.db[j])
		for dy := -1; dy <= 1; dy++ {
			for dx := -1; dx <= 1; dx++ {
				x, y := c%size+dx, c/size+dy
				if x < 0 || y < 0 || x >= size || y >= size {
					continue
				}
				u := 0
				if j < k/2 {
					u = t.feature(y*size+x, t.sides()[0], j)
				} else {
					u = t.feature(y*size+x, t.sides()[1], j-k/2)
				}
				sum += int(n.d[(3*(dy+1)+dx+1)*k+j]) * u
			}
		}
		out[j] = min(max(sum>>6, 0), 127)
	}
	return out
}
