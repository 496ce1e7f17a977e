package mcts

import (
	"context"
	"testing"

	"github.com/carozero/carozero/game/gametest"
	"pgregory.net/rapid"
)

// streamEvaluator answers what waits one by one, the oldest first.
type streamEvaluator struct{ testEvaluator }

func (e *streamEvaluator) Streams() bool { return true }

func (e *streamEvaluator) Next(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		e.waiting = nil
		return err
	}
	if len(e.waiting) > 0 {
		answer := e.waiting[0]
		e.waiting = e.waiting[1:]
		answer()
	}
	return nil
}

// TestStreamGrowsTheSameTree compares searches that wait for all results with
// searches that wait for the oldest alone.
func TestStreamGrowsTheSameTree(t *testing.T) {
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
		plain := e
		s, _ := search(t, pos, o, &plain, l)
		streamed := streamEvaluator{e}
		r, _ := search(t, pos, o, &streamed, l)
		if s.tree.digest(0) != r.tree.digest(0) || plain.asked != streamed.asked {
			t.Fatalf("the trees differ after %d and %d evaluations", plain.asked, streamed.asked)
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

func TestStreamCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e := &streamEvaluator{testEvaluator{eval: mocked(1, true), capacity: 8}}
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
