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
