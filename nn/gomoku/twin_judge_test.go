package gomoku

import (
	"math/bits"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// flags has bit p set for a cell that is 1 in plane p. The bit of PlaneBoard is
// not used.
type flags uint16

// lowest returns the first plane in f, which must not be empty.
func (f flags) lowest() int { return bits.TrailingZeros16(uint16(f)) }

const (
	stoneFlags flags = 1<<PlaneOwn | 1<<PlaneOpp
	ownPoints  flags = 1<<PlaneFiveOwn | 1<<PlaneOpenFourOwn | 1<<PlaneFourOwn
	oppPoints        = ownPoints << 1
)

// twin finds the planes of a plain board from its stones alone: every line is
// read as a bit mask per side. A window is five cells in a row that T does not
// stand in; the line rule decides by the window and the two cells beyond its
// ends. One with four stones of S puts its empty cell into W; one with three is
// two candidates, each of whose empty cells puts the other into W. All three
// planes of points follow from these windows.
//
// It shares nothing with the patterns that the encoder reads but the rules of
// the board, and is much faster than the reference, which looks at every cell.
type twin struct {
	rules gomoku.Rules
	geo   *geometry

	// Scratch.
	cells     []flags
	masks     [2][]uint32 // line masks of own and opponent's stones
	points    points
	captures  captures
	forbidden []game.Move
}

func newTwin(rules gomoku.Rules, size int) *twin {
	g := newGeometry(size)
	e := &twin{rules: rules, geo: g, cells: make([]flags, size*size), captures: newCaptures(g)}
	e.points = newPoints(g, e.cells)
	for i := range e.masks {
		e.masks[i] = make([]uint32, len(g.lines))
	}
	return e
}

// planes returns the planes of b under a symmetry, and its number of stones.
func (e *twin) planes(b *gomoku.Board, sym int) (planes []float32, stones int) {
	n := len(e.cells)
	planes = make([]float32, Planes*n)
	for i := range n {
		planes[PlaneBoard*n+i] = 1
	}
	stones = e.judge(b)
	for c, f := range e.cells {
		for ; f != 0; f &= f - 1 {
			planes[f.lowest()*n+gomoku.Transform(e.geo.size, sym, c)] = 1
		}
	}
	return planes, stones
}

// judge sets e.cells for the side to move of b and returns the number of
// stones on the board.
func (e *twin) judge(b *gomoku.Board) (stones int) {
	stones = e.readStones(b)
	own := b.ToMove()
	opp := own.Other()
	e.points.mark(e.geo, newLineRule(&e.rules, own), 0, e.masks[0], e.masks[1])
	e.points.mark(e.geo, newLineRule(&e.rules, opp), 1, e.masks[1], e.masks[0])
	if e.rules.Captures {
		e.judgeCaptures(b, own, 0)
		e.judgeCaptures(b, opp, 1)
	}
	e.judgeForbidden(b)
	return stones
}

// readStones sets the stones' flags and line masks and returns their number.
func (e *twin) readStones(b *gomoku.Board) (stones int) {
	clear(e.masks[0])
	clear(e.masks[1])
	own := gomoku.StoneOf(b.ToMove())
	n, c := e.geo.size, 0
	for y := range n {
		for x := range n {
			e.cells[c] = 0
			switch b.At(c) {
			case gomoku.Empty:
			case own:
				e.cells[c] = 1 << PlaneOwn
				e.geo.set(e.masks[0], x, y)
				stones++
			default:
				e.cells[c] = 1 << PlaneOpp
				e.geo.set(e.masks[1], x, y)
				stones++
			}
			c++
		}
	}
	return stones
}

// judgeCaptures marks the stones that side could take, and the cells where it
// would take its tenth. view is 0 for the side to move and 1 for its opponent.
func (e *twin) judgeCaptures(b *gomoku.Board, side game.Side, view int) {
	c := &e.captures
	c.find(e.geo, e.masks[view], e.masks[1-view])
	victim := flags(1) << (PlaneCapturableOpp - view)
	five := flags(1) << (PlaneFiveOwn + view)
	taken := b.Captured(side)
	for _, p := range c.pairs {
		if taken+int(c.gain[p[0]]) >= gomoku.WinningCaptures {
			e.cells[p[0]] |= five
		}
		if b.AllowedFor(side, int(p[0])) {
			e.cells[p[1]] |= victim
			e.cells[p[2]] |= victim
		}
	}
}

// judgeForbidden marks the cells that the side to move may not play and takes
// points away from cells that are not allowed to their side.
func (e *twin) judgeForbidden(b *gomoku.Board) {
	e.forbidden = b.Forbidden(e.forbidden[:0])
	for _, m := range e.forbidden {
		e.cells[m] &^= ownPoints
		e.cells[m] |= 1 << PlaneForbidden
	}
	opp := b.ToMove().Other()
	if !e.rules.Renju[opp] && !e.rules.DoubleThree {
		return
	}
	for c, f := range e.cells {
		if f&oppPoints != 0 && !b.AllowedFor(opp, c) {
			e.cells[c] &^= oppPoints
		}
	}
}
