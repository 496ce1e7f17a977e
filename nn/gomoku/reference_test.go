package gomoku

import (
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// reference computes the planes of a board cell by cell, straight from the
// definitions in the package comment. It is the oracle of the fast encoder and
// shares nothing with it but the numbers of the planes.
type reference struct {
	board  *gomoku.Board
	rules  gomoku.Rules
	size   int
	stones []gomoku.Stone
	cells  []int // all
}

func newReference(b *gomoku.Board) *reference {
	r := &reference{board: b, rules: b.Rules(), size: b.Size()}
	for c := range r.size * r.size {
		r.stones, r.cells = append(r.stones, b.At(c)), append(r.cells, c)
	}
	return r
}

// step returns the cell k steps of (dx, dy) from c, false beyond the edge.
func (r *reference) step(c, dx, dy, k int) (int, bool) {
	x, y := c%r.size+k*dx, c/r.size+k*dy
	if x < 0 || y < 0 || x >= r.size || y >= r.size {
		return 0, false
	}
	return y*r.size + x, true
}

// holds reports whether the cell k steps from c has the stone.
func (r *reference) holds(c, dx, dy, k int, stone gomoku.Stone) bool {
	to, ok := r.step(c, dx, dy, k)
	return ok && r.stones[to] == stone
}

// with runs f while cell c holds s's stone.
func (r *reference) with(s game.Side, c int, f func() bool) bool {
	r.stones[c] = gomoku.StoneOf(s)
	defer func() { r.stones[c] = gomoku.Empty }()
	return f()
}

// wins reports whether the stone of s on c is part of a winning run.
func (r *reference) wins(s game.Side, c int) bool {
	for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}} {
		low, high := 0, 0
		for r.holds(c, d[0], d[1], low-1, gomoku.StoneOf(s)) {
			low--
		}
		for r.holds(c, d[0], d[1], high+1, gomoku.StoneOf(s)) {
			high++
		}
		switch length := high - low + 1; {
		case length > 5 && !r.rules.Exact[s]:
			return true
		case length == 5 && !(r.blocked(s, c, d, low-1) && r.blocked(s, c, d, high+1)):
			return true
		}
	}
	return false
}

func (r *reference) blocked(s game.Side, c int, d [2]int, k int) bool {
	to, ok := r.step(c, d[0], d[1], k)
	if !ok {
		return r.rules.EdgeBlocks
	}
	return r.rules.OpponentBlocks && r.stones[to] == gomoku.StoneOf(s.Other())
}

// completes reports whether c is in W(s).
func (r *reference) completes(s game.Side, c int) bool {
	return r.stones[c] == gomoku.Empty && r.with(s, c, func() bool { return r.wins(s, c) })
}

// completing returns W(s).
func (r *reference) completing(s game.Side) []bool {
	w := make([]bool, len(r.stones))
	for c := range w {
		w[c] = r.completes(s, c)
	}
	return w
}

func (r *reference) five(s game.Side, c int) bool {
	return r.completes(s, c) ||
		r.rules.Captures && r.board.Captured(s)+len(r.taken(s, c)) >= 10
}

// four reports whether s's stone on c adds a cell to W(s), which is before.
func (r *reference) four(s game.Side, c int, before []bool) bool {
	return r.with(s, c, func() bool {
		return slices.ContainsFunc(r.cells, func(e int) bool { return !before[e] && r.completes(s, e) })
	})
}

// openFour reports whether s's stone on c leaves a W(s) that no one stone of
// the opponent empties.
func (r *reference) openFour(s game.Side, c int) bool {
	return r.with(s, c, func() bool {
		completes := func(e int) bool { return r.completes(s, e) }
		after := slices.DeleteFunc(slices.Clone(r.cells), func(e int) bool { return !completes(e) })
		for reply := 0; reply < len(r.stones) && len(after) > 0; reply++ {
			if r.stones[reply] == gomoku.Empty && !r.with(s.Other(), reply, func() bool {
				return slices.ContainsFunc(after, completes) || slices.ContainsFunc(r.cells, completes) // the likely first
			}) {
				return false
			}
		}
		return len(after) > 0
	})
}

// taken returns the stones that s's stone on c would capture.
func (r *reference) taken(s game.Side, c int) (cells []int) {
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			theirs := gomoku.StoneOf(s.Other())
			if r.holds(c, dx, dy, 1, theirs) && r.holds(c, dx, dy, 2, theirs) && r.holds(c, dx, dy, 3, gomoku.StoneOf(s)) {
				one, _ := r.step(c, dx, dy, 1)
				two, _ := r.step(c, dx, dy, 2)
				cells = append(cells, one, two)
			}
		}
	}
	return cells
}

// planes returns all planes.
func (r *reference) planes() [Planes][]bool {
	var p [Planes][]bool
	for i := range p {
		p[i] = make([]bool, len(r.stones))
	}
	own := r.board.ToMove()
	for view, s := range []game.Side{own, own.Other()} {
		before := r.completing(s)
		for c, stone := range r.stones {
			p[PlaneBoard][c] = true
			p[PlaneOwn+view][c] = stone == gomoku.StoneOf(s)
			if stone != gomoku.Empty || !r.board.AllowedFor(s, c) {
				continue
			}
			p[PlaneFiveOwn+view][c] = r.five(s, c)
			p[PlaneFourOwn+view][c] = r.four(s, c, before)
			p[PlaneOpenFourOwn+view][c] = r.openFour(s, c)
			if r.rules.Captures {
				for _, t := range r.taken(s, c) {
					p[PlaneCapturableOpp-view][t] = true
				}
			}
		}
	}
	for _, m := range r.board.Forbidden(nil) {
		p[PlaneForbidden][m] = true
	}
	return p
}
