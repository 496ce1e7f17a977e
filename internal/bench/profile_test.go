package bench

import (
	"testing"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

// BenchmarkProfile does what the engines do most: make profile takes from it the
// profile that cmd/carozero is compiled with. Networks are left out, as their
// time is spent outside of Go.
func BenchmarkProfile(b *testing.B) {
	for b.Loop() {
		for _, rule := range []string{"freestyle", "caro"} {
			v, err := games.NewVariant(games.VariantOptions{Rule: rule})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := alphaBeta(b.Context(), v, 14); err != nil {
				b.Fatal(err)
			}
			growTrees(b, v)
		}
	}
}

// growTrees searches the positions of a variant with the tree search and its
// solvers.
func growTrees(b *testing.B, v games.Variant) {
	list, err := positions(v)
	if err != nil {
		b.Fatal(err)
	}
	net := nn.NewMock(1)
	net.Immediate, net.Sharp = true, true
	s := mcts.New(mcts.Options{}, net, v.Solvers(games.DefaultSolvers()))
	for _, pos := range list {
		if err := s.SetPosition(v.Searchable(pos)); err != nil {
			b.Fatal(err)
		}
		if err := s.Search(b.Context(), mcts.Limits{Playouts: 2000}); err != nil {
			b.Fatal(err)
		}
	}
}
