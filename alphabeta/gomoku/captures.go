package gomoku

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// captureFeatures calls visit for the features of the capture rule.
func captureFeatures(b *pattern.Board, visit func(feature, count int)) {
	own := b.ToMove()
	opp := own.Other()
	board := b.Board()
	visit(Taken+min(board.Captured(own)/2, takenSteps-1), 1)
	visit(Taken+min(board.Captured(opp)/2, takenSteps-1), -1)
	prey, holds := preyOf(b, own)
	visit(OwnPrey, prey)
	visit(OwnBreak, holds)
	prey, holds = preyOf(b, opp)
	visit(OppPrey, prey)
	visit(OppBreak, holds)
}

// preyOf returns how many stones of side could be captured by one stone, and
// how many of them have two of side's stones next to them in a line, both at
// most mostPrey.
func preyOf(b *pattern.Board, side game.Side) (prey, holds int) {
	stones := b.Capturable(side)
	if stones.Empty() {
		return 0, 0
	}
	for c := stones.Next(0); c >= 0; c = stones.Next(c + 1) {
		prey++
		if b.Board().RunThrough(side, c) >= 3 {
			holds++
		}
	}
	return min(prey, mostPrey), min(holds, mostPrey)
}
