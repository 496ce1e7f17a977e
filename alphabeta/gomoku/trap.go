package gomoku

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// traps finds the fours that win because renju forbids the opponent the only gap. The
// lines do not tell: to them such a four is a simple one, which the opponent parries.
type traps struct {
	board      *pattern.Board
	restricted [2]bool // by renju
}

// trapReach is how far from its gap the stone that makes a four may lie.
const trapReach = 4

// find returns a cell where side, whether it is to move or not, makes a trap: a four with
// one gap, which is then forbidden to the opponent. Neither side may have a five.
//
// The gap is one of side's four cells as well, since four stones of five make a four in
// either order. It is also forbidden, or suspect, before the four: a stone of side
// takes away some of the opponent's lines through the gap and adds none.
func (t *traps) find(side game.Side) (cell int, found bool) {
	b, opp := t.board, side.Other()
	if !t.restricted[opp] || b.Count(opp, pattern.Forbidden)+b.Count(opp, pattern.Suspect) == 0 {
		return 0, false
	}
	closed := b.Cells(opp, pattern.Forbidden).Or(b.Cells(opp, pattern.Suspect))
	gaps := b.FourCells(side)
	gaps = gaps.And(&closed)
	for g := gaps.Next(0); g >= 0; g = gaps.Next(g + 1) {
		if cell, found = t.before(side, g); found {
			break
		}
	}
	return cell, found
}

// before returns a cell where side makes a trap with the gap g.
func (t *traps) before(side game.Side, g int) (cell int, found bool) {
	b, size := t.board, t.board.Board().Size()
	for d, step := range steps {
		if !b.Line(g, side, d).Fours() {
			continue
		}
		for k := -trapReach; k <= trapReach; k++ {
			x, y := g%size+k*step[0], g/size+k*step[1]
			if k == 0 || x < 0 || y < 0 || x >= size || y >= size {
				continue
			}
			c := y*size + x
			if class := b.LineClass(c, side); class != pattern.Four && class != pattern.FourThree {
				continue
			}
			if b.Line(c, side, d).Fours() && t.closes(side, c, g) {
				return c, true
			}
		}
	}
	return 0, false
}

// closes reports whether a stone of side on c leaves it the gap g, and the opponent some
// move, but not that one.
func (t *traps) closes(side game.Side, c, g int) bool {
	b := t.board
	pass := b.ToMove() != side
	if pass {
		b.Pass()
	}
	b.Play(game.Move(c))
	closed := b.Cells(side, pattern.Five).Has(g) && b.Outcome() == game.Undecided && !b.Board().AllowedFor(side.Other(), g)
	b.Undo()
	if pass {
		b.Pass()
	}
	return closed
}
