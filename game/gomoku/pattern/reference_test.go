package pattern_test

import (
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// row is a whole line of the board in the view of one side: 'X' its stones, 'O'
// the opponent's, '.' empty cells. Its patterns are found by playing on it,
// without keys, masks or tables.
type row []byte

// judge is the line rule of one side, in the words of the rules.
type judge struct {
	rules gomoku.Rules
	side  game.Side
}

func (r row) with(i int, stone byte) row {
	after := append(row(nil), r...)
	after[i] = stone
	return after
}

func (r row) at(i int) byte {
	if i < 0 || i >= len(r) {
		return '#'
	}
	return r[i]
}

// run returns the first and last cell of the unbroken row of X through i.
func (r row) run(i int) (first, last int) {
	for first = i; r.at(first-1) == 'X'; first-- {
	}
	for last = i; r.at(last+1) == 'X'; last++ {
	}
	return first, last
}

func (j judge) blocked(c byte) bool {
	return c == 'O' && j.rules.OpponentBlocks || c == '#' && j.rules.EdgeBlocks
}

func (j judge) wins(r row, i int) bool {
	first, last := r.run(i)
	switch n := last - first + 1; {
	case n == 5:
		return !j.blocked(r.at(first-1)) || !j.blocked(r.at(last+1))
	case n > 5:
		return !j.rules.Exact[j.side]
	}
	return false
}

// completing returns the cells where X makes a winning run that c is part of.
func (j judge) completing(r row, c int) (cells []int) {
	for e := range r {
		if r[e] != '.' {
			continue
		}
		after := r.with(e, 'X')
		if first, last := after.run(e); first <= c && c <= last && j.wins(after, e) {
			cells = append(cells, e)
		}
	}
	return cells
}

// fours returns how many sets of four stones, c among them, one stone turns
// into a row of exactly five.
func (j judge) fours(r row, c int) int {
	sets := map[string]bool{}
	for _, e := range j.completing(r, c) {
		first, last := r.with(e, 'X').run(e)
		set := ""
		for i := first; i <= last; i++ {
			if i != e {
				set += fmt.Sprint(i, " ")
			}
		}
		sets[set] = true
	}
	return len(sets)
}

// open reports whether the stone c is part of an open four.
func (j judge) open(r row, c int) bool {
	cells := j.completing(r, c)
	if j.rules.Renju[j.side] {
		return len(cells) == 2 && cells[1]-cells[0] == 5 && j.fours(r, c) == 1
	}
	for reply := range r {
		if r[reply] == '.' && len(j.completing(r.with(reply, 'O'), c)) == 0 {
			return false
		}
	}
	return len(cells) > 0
}

func (j judge) foul(r row, c int) bool {
	first, last := r.run(c)
	return j.rules.Renju[j.side] && (last-first+1 > 5 || j.fours(r, c) > 1)
}

// missing returns how many stones are missing to a four and to an open four,
// at most 3; moves that win or are fouls lead nowhere.
func (j judge) missing(r row, c, depth int) (four, open int) {
	if j.wins(r, c) || j.foul(r, c) {
		return 3, 3
	}
	four, open = 3, 3
	if j.open(r, c) {
		open = 0
	}
	if len(j.completing(r, c)) > 0 {
		four = 0
	}
	if depth == 0 || four == 0 { // a four is a four, whatever comes after
		return four, open
	}
	for e := max(0, c-6); e <= min(len(r)-1, c+6); e++ {
		if r[e] == '.' {
			f, o := j.missing(r.with(e, 'X'), c, depth-1)
			four, open = min(four, f+1), min(open, o+1)
		}
	}
	return four, open
}

// line classifies a stone of X on the empty cell c.
func (j judge) line(r row, c int) pattern.Line {
	after := r.with(c, 'X')
	switch {
	case j.wins(after, c):
		return pattern.FiveLine
	case j.foul(after, c):
		return pattern.Foul
	}
	four, open := j.missing(after, c, 2)
	switch {
	case open == 0:
		return pattern.StraightFour
	case four == 0:
		return pattern.SimpleFour
	case open == 1:
		return pattern.OpenThree
	case four == 1:
		return pattern.ClosedThree
	case open == 2:
		return pattern.OpenTwo
	case four == 2:
		return pattern.ClosedTwo
	}
	return pattern.Dead
}

var slopes = [4][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}}

// grid is what a row is read from.
type grid interface {
	Size() int
	At(cell int) gomoku.Stone
}

// stones is a grid of its own.
type stones struct {
	size  int
	cells []gomoku.Stone
}

func (s stones) Size() int             { return s.size }
func (s stones) At(c int) gomoku.Stone { return s.cells[c] }

// stonesOf copies the stones of a board.
func stonesOf(b *gomoku.Board) stones {
	s := stones{size: b.Size()}
	for c := range b.MaxMoves() {
		s.cells = append(s.cells, b.At(c))
	}
	return s
}

// anyCompletes reports whether X has a cell that makes a winning run.
func (j judge) anyCompletes(b grid) bool {
	for c := range b.Size() * b.Size() {
		if b.At(c) == gomoku.Empty && j.completes(b, c) {
			return true
		}
	}
	return false
}

// completes reports whether X's stone on the empty cell c makes a winning run.
func (j judge) completes(b grid, c int) bool {
	for d := range slopes {
		if r, at := rowThrough(b, j.side, c, d); j.wins(r.with(at, 'X'), at) {
			return true
		}
	}
	return false
}

// rowThrough returns the line of a board through a cell in one direction, and
// where in it the cell is.
func rowThrough(b grid, side game.Side, c, d int) (r row, at int) {
	n, dx, dy := b.Size(), slopes[d][0], slopes[d][1]
	x, y := c%n, c/n
	for in(n, x-dx, y-dy) {
		x, y, at = x-dx, y-dy, at+1
	}
	for ; in(n, x, y); x, y = x+dx, y+dy {
		switch b.At(y*n + x) {
		case gomoku.Empty:
			r = append(r, '.')
		case gomoku.StoneOf(side):
			r = append(r, 'X')
		default:
			r = append(r, 'O')
		}
	}
	return r, at
}

func in(n, x, y int) bool { return x >= 0 && y >= 0 && x < n && y < n }
