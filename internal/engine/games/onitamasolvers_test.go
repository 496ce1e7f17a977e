package games

import (
	"context"
	"math/rand/v2"
	"testing"

	onitamasearch "github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/mcts"
)

// Each method finds what the prover finds within its own budget, and leaves the position
// and the end of games alone.
func TestSolversOfOnitama(t *testing.T) {
	v := variant(t, VariantOptions{Game: Onitama})
	budget := SolverNodes{Leaf: 60, Root: 900, Replies: 300}
	s := v.Solvers(budget)
	var p onitamasearch.Prover
	played, found := 0, 0
	want := func(b *onitama.Board, nodes int) (w mcts.Solution) {
		m := p.Prove(t.Context(), b, nodes)
		if nodes != budget.Leaf {
			played += m.Nodes
		}
		if m.Plies > 0 {
			found++
			w = mcts.Solution{Proof: mcts.Win, Move: m.Move, Plies: m.Plies}
		}
		return w
	}
	rng := rand.New(rand.NewPCG(6, 6))
	for range 40 {
		b, err := onitama.New(onitama.BaseDeck.Random(rng))
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			before := b.Hash()
			if got, want := s.Leaf(t.Context(), b), want(b, budget.Leaf); got != want {
				t.Fatalf("leaf %+v, want %+v of\n%v", got, want, b)
			}
			if got, want := s.Root(t.Context(), b), want(b, budget.Root); got != want {
				t.Fatalf("root %+v, want %+v of\n%v", got, want, b)
			}
			moves := b.Moves(nil)
			after := make([]mcts.Solution, len(moves))
			s.Refute(t.Context(), b, moves, after)
			for i, m := range moves {
				b.Play(m)
				var refuted, audited mcts.Solution
				over := b.Outcome() != game.Undecided
				if !over {
					refuted, audited = want(b, budget.Replies), want(b, budget.Root)
				}
				b.Undo()
				if after[i] != refuted {
					t.Fatalf("after %d %+v, want %+v of\n%v", m, after[i], refuted, b)
				}
				if !over {
					if got := s.Audit(t.Context(), b, m); got != audited {
						t.Fatalf("audit of %d %+v, want %+v of\n%v", m, got, audited, b)
					}
				}
			}
			if b.Hash() != before {
				t.Fatal("the position is another one")
			}
			b.Play(moves[rng.IntN(len(moves))])
			if b.Outcome() != game.Undecided {
				break
			}
		}
	}
	if s.RootNodes() != played || found == 0 {
		t.Errorf("%d moves were played, want %d; %d wins", s.RootNodes(), played, found)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	start, err := v.Start()
	if err != nil {
		t.Fatal(err)
	}
	if w := s.Root(ctx, start); w.Found() {
		t.Errorf("%+v", w)
	}
	if n := v.Solvers(SolverNodes{}); n != nil {
		t.Errorf("solvers without nodes: %v", n)
	}
}
