package engine

import (
	"context"
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

// countdown is a context that ends after a number of looks at it.
type countdown struct {
	context.Context
	looks int
}

func (c *countdown) Err() error {
	if c.looks == 0 {
		return context.Canceled
	}
	c.looks--
	return nil
}

// The solvers look at their context every 1024 moves at least, however many
// positions they are asked about, and do nothing once it has ended.
func TestSolversEndWithTheirContext(t *testing.T) {
	v, err := NewVariant(VariantOptions{Rule: "freestyle"})
	if err != nil {
		t.Fatal(err)
	}
	pos, err := v.Parse("h8h9i8i10j9j10g7k11f6l12e8d9c7m8")
	if err != nil {
		t.Fatal(err)
	}
	board := v.Searchable(pos)
	moves := board.Moves(nil)
	p := v.Solvers(SolverNodes{Leaf: 500, Root: 100_000, Parries: 5000}).(*solvers)
	last := -1
	for looks := range 60 {
		p.played = 0
		Until(&countdown{t.Context(), looks}, p)
		p.ProveRoot(board)
		p.Refute(board, moves, make([]mcts.Refutation, len(moves)))
		p.Audit(board, moves[0])
		if p.played > looks<<10 || p.played < last {
			t.Errorf("%d moves in %d looks at the context, %d in fewer", p.played, looks, last)
		}
		last = p.played
	}
	if _, _, ok := p.Prove(board); ok || last == 0 {
		t.Errorf("a proof after the end, or no work before it: %d moves", last)
	}
}
