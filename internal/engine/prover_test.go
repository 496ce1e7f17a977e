package engine

import (
	"testing"

	"github.com/carozero/carozero/mcts"
)

// TestSolversRefute has First threaten an open four: only moves that touch it
// are not refuted, and every refutation holds.
func TestSolversRefute(t *testing.T) {
	v, err := NewVariant(VariantOptions{Rule: "freestyle", Size: 15})
	if err != nil {
		t.Fatal(err)
	}
	pos, err := v.Parse("h8a1i8a3j8")
	if err != nil {
		t.Fatal(err)
	}
	s := v.Solvers(SolverNodes{Parries: 500}).(mcts.Refuter)
	moves := pos.Moves(nil)
	out := make([]mcts.Refutation, len(moves))
	s.Refute(v.Searchable(pos), moves, out)
	saved := ""
	for i, m := range moves {
		if out[i].Plies == 0 {
			saved += v.Notation().FormatMove(m)
		}
	}
	if saved != "g8k8" {
		t.Errorf("not refuted: %s", saved)
	}
}
