package gomoku

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// listed returns all moves of a position's stages.
func listed(heuristics *alphabeta.Heuristics) (all []alphabeta.ScoredMove) {
	for n, more := 0, true; more; n++ {
		var list []alphabeta.ScoredMove
		list, more = heuristics.Picker.Stage(n, nil)
		all = append(all, list...)
	}
	return all
}

// Every listed move is legal, listed once, and as Describe says; there is
// always one.
func TestListedMovesAreLegal(t *testing.T) {
	eachRule(t, func(rt *rapid.T, b *pattern.Board, _ *rand.Rand) {
		if len(b.Wins(nil)) > 0 {
			return
		}
		heuristics := bind(t, b)
		var moves []game.Move
		for _, e := range listed(&heuristics) {
			if e != heuristics.Picker.Describe(e.Move) || int(e.Slot) >= heuristics.Slots || !b.Legal(e.Move) {
				rt.Fatalf("%+v is described as %+v, legal %v\n%v", e, heuristics.Picker.Describe(e.Move), b.Legal(e.Move),
					b.Board())
			}
			moves = append(moves, e.Move)
		}
		slices.Sort(moves)
		if n := len(moves); n == 0 || len(slices.Compact(moves)) != n {
			rt.Fatalf("%d moves, %d different ones\n%v", n, len(slices.Compact(moves)), b.Board())
		}
		for _, m := range b.Moves(nil) {
			heuristics.Picker.Describe(m)
		}
	})
}
