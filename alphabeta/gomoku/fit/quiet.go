package fit

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// solverNodes bounds the search for a win by fours in one position.
const solverNodes = 500

// quiet distinguishes positions that the search evaluates statically from those that it
// resolves by threats. It belongs to one goroutine.
type quiet struct{ solver *vcf.Solver }

func newQuiet() quiet { return quiet{vcf.New(vcf.Options{})} }

// is reports whether the game goes on, neither side completes a winning line
// or takes the last stones with its next move, and the side to move is not
// found to win by continuous fours.
func (q quiet) is(ctx context.Context, b *pattern.Board) bool {
	if b.Outcome() != game.Undecided {
		return false
	}
	for _, side := range []game.Side{game.First, game.Second} {
		if t := b.Threats(side); !t.Five.Empty() {
			return false
		}
	}
	return q.solver.Solve(ctx, b, vcf.VCF, solverNodes).Outcome != vcf.Win
}
