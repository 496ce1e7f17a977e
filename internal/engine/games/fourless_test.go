package games

import (
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Where a board says that the side to move has no four, the plain rules know no move
// that wins at once or threatens to, and the solver of fours finds nothing.
func TestFourless(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, rule := range gomoku.Names() {
		v := variant(t, VariantOptions{Rule: rule, Size: 9})
		solver := v.Solvers(SolverNodes{Leaf: LeafNodes}).(*solvers)
		said, denied := 0, 0
		for range 400 {
			start, err := v.Start()
			if err != nil {
				t.Fatal(err)
			}
			for range 4 + r.IntN(40) {
				if start.Outcome() == game.Undecided {
					moves := start.Moves(nil)
					start.Play(moves[r.IntN(len(moves))])
				}
			}
			if start.Outcome() != game.Undecided || len(start.Wins(nil)) > 0 {
				continue
			}
			b := v.Searchable(start).(*pattern.Board)
			if !fourless(b) {
				denied++
				continue
			}
			said++
			if m, plies, ok := solver.leaf.Prove(b); ok {
				t.Fatalf("%s: %v has no four and wins in %d by %d", rule, b.Board(), plies, m)
			}
			for _, m := range start.Moves(nil) {
				if makesFour(start, m) {
					t.Fatalf("%s: %v: %d makes a four", rule, b.Board(), m)
				}
			}
		}
		if captures := rule == "school42"; denied == 0 || captures != (said == 0) {
			t.Errorf("%s: %d positions without a four, %d with one", rule, said, denied)
		}
	}
}

// makesFour reports by the plain rules whether a move leaves a win for the next one,
// whatever the opponent does but block it.
func makesFour(pos game.Position, m game.Move) bool {
	pos.Play(m)
	defer pos.Undo()
	if pos.Outcome() != game.Undecided {
		return true
	}
	replies := pos.Moves(nil)
	for _, reply := range replies[:min(4, len(replies))] {
		pos.Play(reply)
		wins := pos.Outcome() == game.Undecided && len(pos.Wins(nil)) > 0
		pos.Undo()
		if wins {
			return true
		}
	}
	return false
}
