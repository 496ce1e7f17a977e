package games

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
	s := v.Solvers(SolverNodes{Replies: 500})
	moves := pos.Moves(nil)
	wins := make([]mcts.Solution, len(moves))
	s.Refute(t.Context(), v.Searchable(pos), moves, wins)
	saved := ""
	for i, m := range moves {
		if !wins[i].Found() {
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
	s := v.Solvers(SolverNodes{Leaf: 500, Root: 100_000, Replies: 5000})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	last := -1
	for looks := range 60 {
		before := s.RootNodes()
		ctx := &countdown{t.Context(), looks}
		s.Root(ctx, board)
		s.Refute(ctx, board, moves, make([]mcts.Solution, len(moves)))
		s.Audit(ctx, board, moves[0])
		played := s.RootNodes() - before
		if played > looks<<10 || played < last {
			t.Errorf("%d moves in %d looks at the context, %d in fewer", played, looks, last)
		}
		last = played
	}
	if s.Leaf(ended, board).Found() || last == 0 {
		t.Errorf("a proof after the end, or no work before it: %d moves", last)
	}
}
