package mcts

import (
	"context"
	"testing"

	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
	"pgregory.net/rapid"
)

// TestTreesDoNotDependOnWaits compares searches that wait only for the oldest result
// with searches that wait for a few or for all of them.
func TestTreesDoNotDependOnWaits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := genOptions(t)
		pos := genPosition(t)
		seed := rapid.Uint64().Draw(t, "seed")
		every := rapid.IntRange(1, 5).Draw(t, "answered at once")
		e := testEvaluator{
			eval: mocked(seed, true), capacity: rapid.IntRange(1, 25).Draw(t, "capacity"),
			now: func(i int) bool { return i%every == 1 },
		}
		l := Limits{Playouts: genPlayouts(t, 300)}
		one, many := e, e
		s, _ := search(t, pos, o, &one, l)
		r := New(o, &many, nil)
		if err := r.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		counts := rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 3, nn.All}), 1, 8).Draw(t, "waited for")
		r.Begin(t.Context(), l)
		for i := 0; !r.Done(); i++ {
			if !r.Select() {
				continue
			}
			n := counts[i%len(counts)]
			if err := many.Wait(context.Background(), n); err != nil {
				t.Fatal(err)
			}
			r.Backup(n)
		}
		check(t, r)
		if s.tree.digest(0) != r.tree.digest(0) || one.asked != many.asked {
			t.Fatalf("the trees differ after %d and %d evaluations", one.asked, many.asked)
		}
	})
}

// TestAbandonedKidLeavesNoTrace takes back the only child of a node, keeps the
// node's subtree and searches on.
func TestAbandonedKidLeavesNoTrace(t *testing.T) {
	for cut := 2; cut < 60; cut++ {
		ctx, cancel := context.WithCancel(context.Background())
		e := &testEvaluator{eval: mocked(1, true), capacity: 8}
		e.run = func() error {
			if e.asked >= cut {
				cancel()
			}
			return nil
		}
		s := New(Options{InFlight: 8}, e, nil)
		if err := s.SetPosition(gametest.NewMNK(6, 6, 5)); err != nil {
			t.Fatal(err)
		}
		if err := s.Search(ctx, Limits{Playouts: 1000}); err == nil {
			t.Fatal("a cancelled search goes on")
		}
		e.run = nil
		var r Result
		for range 4 {
			s.Result(&r)
			if err := s.Advance(r.Move); err != nil {
				t.Fatal(err)
			}
			r = *more(t, s, Limits{Visits: 20})
		}
	}
}

// TestCancelledWhileOthersWait ends a search while the evaluator still owes
// results to it.
func TestCancelledWhileOthersWait(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e := &testEvaluator{eval: mocked(1, true), capacity: 8}
	e.now = func(i int) bool {
		if i == 50 {
			cancel()
		}
		return false
	}
	s := New(Options{InFlight: 6}, e, nil)
	if err := s.SetPosition(gametest.NewMNK(6, 6, 5)); err != nil {
		t.Fatal(err)
	}
	if err := s.Search(ctx, Limits{Playouts: 1000}); err == nil {
		t.Fatal("a cancelled search goes on")
	}
	if len(e.waiting) > 0 {
		t.Errorf("%d positions still wait", len(e.waiting))
	}
	if r := more(t, s, Limits{Visits: 200}); r.Visits != 200 {
		t.Errorf("%d visits after going on", r.Visits)
	}
}
