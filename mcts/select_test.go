package mcts

import (
	"math"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"pgregory.net/rapid"
)

// TestLowerBoundByDefinition finds the best move again from the values that
// arrived at each child, which an evaluator of its own records.
func TestLowerBoundByDefinition(t *testing.T) {
	differs := 0
	rapid.Check(t, func(t *rapid.T) {
		pos := gametest.NewMNK(5, 5, 5)
		o := Options{LCB: rapid.Float32Range(0.1, 5).Draw(t, "errors"), InFlight: rapid.IntRange(1, 4).Draw(t, "in flight")}
		e := &testEvaluator{eval: mocked(rapid.Uint64().Draw(t, "seed"), false), capacity: 4}
		s, r := search(t, pos, o, e, Limits{Playouts: genPlayouts(t, 300)})
		if r.Children[0].Proven != game.Unproven {
			t.Skip() // another draw: a proof decides here, not the bounds
		}
		nd := &s.tree.nodes[0]
		most := uint32(0)
		for _, c := range r.Children {
			most = max(most, c.Visits)
		}
		best, bound := r.Children[0], math.Inf(-1)
		for _, c := range r.Children {
			if c.Visits == 0 || 7*c.Visits < most || c.Proven != game.Unproven {
				continue
			}
			var values []float64
			if !s.tree.gather(nd.child(&s.tree, c), -1, &values) {
				t.Skip() // another draw: a move that is refuted below counts no more, as it did before
			}
			mean, squares := 0.0, 2*0.16
			for _, v := range values {
				mean += v / float64(len(values))
			}
			for _, v := range values {
				squares += (v - mean) * (v - mean)
			}
			n := float64(len(values))
			if low := mean - float64(o.LCB)*math.Sqrt(squares/(n+2)/n); low > bound+1e-4 {
				best, bound = c, low
			} else if low > bound-1e-4 {
				t.Skip() // another draw: these two are too close to tell apart
			}
		}
		if r.Move != best.Move {
			t.Fatalf("move %d, want %d with the bound %v", r.Move, best.Move, bound)
		}
		if best.Visits < most {
			differs++
		}
	})
	if differs == 0 {
		t.Error("the most visited move had the highest bound every time")
	}
}

// child returns the node of a root's child.
func (nd *node) child(t *tree, c Child) *node { return t.childBy(nd, c.Move) }

// gather appends the values that arrived at nd and below, seen with a sign; false if
// something is proven there.
func (t *tree) gather(nd *node, sign float64, values *[]float64) bool {
	own := nd.visits
	for _, k := range t.kids[nd.kids:][:nd.nKids] {
		own -= t.nodes[k.node].visits
		if t.nodes[k.node].proof() != game.Unproven || !t.gather(&t.nodes[k.node], -sign, values) {
			return false
		}
	}
	for range own {
		*values = append(*values, sign*float64(nd.value))
	}
	return true
}

// TestEarlyStop compares searches that stop early with whole ones: the most
// visited move is the same, and the rest of the budget could not have changed
// it.
func TestEarlyStop(t *testing.T) {
	stopped := 0
	rapid.Check(t, func(t *rapid.T) {
		o := genOptions(t)
		o.LCB = -1
		pos := gametest.NewMNK(5, 5, 5)
		e := testEvaluator{eval: mocked(rapid.Uint64().Draw(t, "seed"), true), capacity: 20}
		l := Limits{Playouts: genPlayouts(t, 200)}
		whole := e
		_, want := search(t, pos, o, &whole, l)
		o.EarlyStop = true
		_, r := search(t, pos, o, &e, l)
		if r.Proven != game.Unproven || want.Proven != game.Unproven || r.Children[0].Proven != game.Unproven {
			t.Skip() // another draw: a proof has ended one of the searches early
		}
		if r.Move != want.Move {
			t.Fatalf("move %d after %d playouts, %d after all %d", r.Move, r.Playouts, want.Move, want.Playouts)
		}
		if r.Stopped != (r.Playouts < l.Playouts) && r.Playouts != l.Playouts {
			t.Fatalf("stopped %v after %d of %d", r.Stopped, r.Playouts, l.Playouts)
		}
		if r.Stopped && r.Playouts < l.Playouts {
			stopped++
			left := l.Playouts - r.Playouts
			if lead := int(r.Children[0].Visits) - int(r.Children[1].Visits); lead <= left-o.InFlight {
				t.Fatalf("stopped with a lead of %d and %d playouts left", lead, left)
			}
		}
	})
	if stopped == 0 {
		t.Error("no search stopped early")
	}
}
