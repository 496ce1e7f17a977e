package gomoku

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/vcf"
	rules "github.com/carozero/carozero/game/gomoku"
)

// Nothing is allocated once the parts are bound and have seen a position.
func TestAllocations(t *testing.T) {
	for _, name := range rules.Names() {
		r := lookup(t, name)
		b := walk(t, r, 15, 40, rand.New(rand.NewPCG(1, 2)))
		parts := bind(t, b)
		list := make([]alphabeta.ScoredMove, 0, b.MaxMoves())
		use := func() {
			parts.Evaluation.Evaluate()
			parts.Picker.Stage(0, list)
			parts.Quiescence.Noisy(0, list)
			parts.Solver.Solve(3, 200)
		}
		use()
		if n := testing.AllocsPerRun(20, use); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// The solver of fours plays no more than it may, a win or none.
func TestFoursStayWithinTheirNodes(t *testing.T) {
	for _, name := range rules.Names() {
		r := lookup(t, name)
		rng := rand.New(rand.NewPCG(5, 6))
		won := 0
		for range 100 {
			b := walk(t, r, 11, 20+rng.IntN(40), rng)
			if len(b.Wins(nil)) > 0 {
				continue
			}
			solver := newSolver(b)
			for _, nodes := range []int{1, 4, 12, 30, 90, 400} {
				s := solver.Solve(20, nodes)
				if s.Won {
					won++
				}
				if s.Nodes > nodes {
					t.Fatalf("%s: %d nodes, may play %d; won %v\n%v", name, s.Nodes, nodes, s.Won, b.Board())
				}
			}
		}
		if won == 0 {
			t.Errorf("%s: no wins among the positions", name)
		}
	}
}

// What the solver of fours reports is a win in that many plies at most: the
// exact solver finds one as well, and no longer.
func TestFoursAreWins(t *testing.T) {
	exact := vcf.New(vcf.Options{})
	found := 0
	for _, name := range rules.Names() {
		r := lookup(t, name)
		rng := rand.New(rand.NewPCG(3, 4))
		for range 150 {
			b := walk(t, r, 11, 20+rng.IntN(40), rng)
			if len(b.Wins(nil)) > 0 {
				continue
			}
			before := b.Hash()
			s := newSolver(b).Solve(10, 400)
			if b.Hash() != before {
				t.Fatalf("%s: the position is not as it was", name)
			}
			if !s.Won {
				continue
			}
			found++
			res := exact.Solve(context.Background(), b, vcf.VCF, 1_000_000)
			if res.Outcome != vcf.Win || res.Plies > s.Plies || !b.Legal(s.Move) {
				t.Fatalf("%s: %+v, by the exact solver %v in %d plies\n%v", name, s, res.Outcome, res.Plies, b.Board())
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d wins among the positions", found)
	}
}
