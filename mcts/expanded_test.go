package mcts

import (
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
)

// A position that was searched as a child and is proven to be won through its own
// moves is won by a move that wins, before anything is searched anew.
func TestAdvanceIntoAProvenWin(t *testing.T) {
	pos := gametest.NewMNK(4, 3, 3)
	pos.Play(5) // wins, and every reply loses
	_, r := search(t, pos, Options{}, nn.NewUniform(1), Limits{Playouts: 100_000})
	if r.Proven != Loss {
		t.Fatalf("%v, want a loss", r.Proven)
	}
	corners := 0
	for _, c := range r.Children {
		s, _ := search(t, pos, Options{}, nn.NewUniform(1), Limits{Playouts: 100_000})
		child := s.tree.childBy(&s.tree.nodes[0], c.Move)
		if child == nil || child.n == 0 || c.Plies < 4 {
			t.Fatalf("%+v: want a child that is won through its children", c)
		}
		if err := s.Advance(c.Move); err != nil {
			t.Fatal(err)
		}
		var next Result
		if s.Result(&next); next.Proven != Win || next.ProofPlies != c.Plies-1 {
			t.Errorf("after %d: %v in %d, want a win in %d", c.Move, next.Proven, next.ProofPlies, c.Plies-1)
		}
		at := pos.Clone()
		at.Play(c.Move)
		at.Play(next.Move)
		if gametest.Minimax(at) != -1 {
			t.Errorf("after %d: %d does not win", c.Move, next.Move)
		}
		if len(next.PV) == 0 || next.PV[0] != next.Move {
			t.Errorf("after %d: line %v of %d", c.Move, next.PV, next.Move)
		}
		line, _ := s.Line(next.Move, nil, nil)
		for i, m := range line {
			if !at.Legal(m) && i > 0 {
				t.Errorf("after %d: line %v has a move that is not legal", c.Move, line)
				break
			}
			if i > 0 {
				at.Play(m)
			}
		}
		if next.Move == game.Move(0) {
			corners++
		}
	}
	if corners == len(r.Children) {
		t.Error("the corner wins everywhere: nothing was tested")
	}
}
