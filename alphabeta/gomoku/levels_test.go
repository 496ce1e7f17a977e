package gomoku

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// levelNeeds are the least numbers of cells that a level takes.
var levelNeeds = [Levels]map[pattern.Class]int{
	levelDoubleTwo:     {pattern.DoubleTwo: 1},
	levelStrongThree:   {pattern.StrongThree: 1},
	levelThree:         {pattern.Three: 1},
	levelThrees:        {pattern.Three: 2},
	levelManyThrees:    {pattern.Three: 3},
	levelMostThrees:    {pattern.Three: 5},
	levelDoubleThree:   {pattern.DoubleThree: 1},
	levelDoubleThrees:  {pattern.DoubleThree: 2},
	levelFour:          {pattern.Four: 1},
	levelFours:         {pattern.Four: 3},
	levelFourAndThree:  {pattern.Four: 1, pattern.Three: 1},
	levelFoursAndThree: {pattern.Four: 3, pattern.Three: 1},
	levelFourAndTwice:  {pattern.Four: 1, pattern.DoubleThree: 1},
	levelFoursAndTwice: {pattern.Four: 3, pattern.DoubleThree: 1},
	levelFourThree:     {pattern.FourThree: 1},
	levelOpenFour:      {pattern.OpenFour: 1}, // cells of DoubleFour count as well
	levelFive:          {pattern.Five: 1},
}

// The level is the highest for which there are cells enough.
func TestLevel(t *testing.T) {
	eachRule(t, func(rt *rapid.T, b *pattern.Board, _ *rand.Rand) {
		for side := range game.Side(2) {
			cells := map[pattern.Class]int{}
			for c := range b.MaxMoves() {
				class := b.LineClass(c, side)
				if class == pattern.DoubleFour {
					class = pattern.OpenFour
				}
				cells[class]++
			}
			want := levelNone
			for l, needs := range levelNeeds {
				enough := true
				for class, least := range needs {
					enough = enough && cells[class] >= least
				}
				if enough {
					want = l
				}
			}
			if got := level(b, side); got != want {
				rt.Fatalf("%v has level %d, want %d\n%v", side, got, want, b.Board())
			}
		}
	})
}
