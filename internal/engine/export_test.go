package engine

import (
	"context"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
)

// What the tests of the engines see: they are a package of their own, since package
// enginetest imports this one.

const (
	CentreNodes = centreNodes
	CheckTime   = checkTime
)

var Levels = levels

func (l Level) Choose(lines []alphabeta.Line, seed uint64, ply int) game.Move {
	return l.choose(lines, seed, ply)
}

func ByBudget(t *Tree) bool { return t.byBudget }

func CheckClaims(ctx context.Context, c *Classical, pos game.Position, r *alphabeta.Result) {
	c.newClaims(ctx, pos).check(r)
}
