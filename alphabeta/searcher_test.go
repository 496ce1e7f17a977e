package alphabeta_test

import (
	"context"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game/gametest"
)

// After a ponder hit the search reaches a depth with fewer nodes.
func TestPonderHit(t *testing.T) {
	pos := gametest.NewMNK(7, 7, 5)
	pos.Play(24)
	const depth = 4
	g := rough{seed: 3}
	s := searcher(t, g, alphabeta.Options{TableMiB: 4}.Exhaustive())
	first, err := s.Search(context.Background(), pos, alphabeta.Limits{Depth: depth})
	if err != nil {
		t.Fatal(err)
	}
	reply := first.Reply()
	pos.Play(first.Move)
	if !pos.Legal(reply) {
		t.Fatalf("the predicted reply %d to %d is illegal", reply, first.Move)
	}
	hash := pos.Hash()
	ctx, cancel := context.WithCancel(context.Background())
	pondered, err := s.Ponder(ctx, pos, reply, alphabeta.Limits{Progress: func(r alphabeta.Result) {
		if r.Depth == depth {
			cancel()
		}
	}})
	if err != nil || pondered.Depth != depth || pos.Hash() != hash {
		t.Fatalf("pondered to depth %d, %v", pondered.Depth, err)
	}
	pos.Play(reply)
	hit, err := s.Search(context.Background(), pos, alphabeta.Limits{Depth: depth})
	if err != nil {
		t.Fatal(err)
	}
	cold := search(t, g, alphabeta.Options{TableMiB: 4}.Exhaustive(), pos, alphabeta.Limits{Depth: depth})
	if hit.Score != cold.Score || hit.Stats.Nodes > cold.Stats.Nodes/4 {
		t.Errorf("%v with %d nodes, %v with %d without pondering", hit.Score, hit.Stats.Nodes, cold.Score, cold.Stats.Nodes)
	}
}

// The iterations of a result tell how it came about.
func TestIterations(t *testing.T) {
	var seen []alphabeta.Result
	l := alphabeta.Limits{Depth: 5, Progress: func(r alphabeta.Result) { seen = append(seen, r) }}
	r := search(t, rough{seed: 2, quiesce: true, margin: 20}, alphabeta.Options{}, gametest.NewMNK(6, 6, 5), l)
	if len(r.Iterations) != r.Depth || len(seen) != r.Depth {
		t.Fatalf("%d iterations, %d calls of Progress, depth %d", len(r.Iterations), len(seen), r.Depth)
	}
	var before int64
	for i, it := range r.Iterations {
		s := seen[i]
		if it.Depth != i+1 || it.Nodes <= before || it.Nodes != s.Stats.Nodes || it.Move != s.Move || it.Score != s.Score ||
			it.SelDepth != s.Stats.SelDepth {
			t.Errorf("iteration %d: %+v after %d nodes, reported as %+v", i+1, it, before, s)
		}
		if it.SelDepth < it.Depth || it.SelDepth > 36 {
			t.Errorf("iteration %d reached %d plies", it.Depth, it.SelDepth)
		}
		before = it.Nodes
	}
}
