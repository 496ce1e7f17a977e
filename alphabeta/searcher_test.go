package alphabeta_test

import (
	"context"
	"errors"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
)

// A table beyond the memory is refused, and nothing is lost by asking for it.
func TestTableLargerThanMemory(t *testing.T) {
	const tooMuch = 1 << 30 // 1 PiB
	if _, err := alphabeta.New(alphabeta.Plain{}, alphabeta.Options{TableMiB: tooMuch}); !errors.Is(err, alphabeta.ErrMemory) {
		t.Errorf("New: %v", err)
	}
	s := searcher(t, alphabeta.Plain{}, alphabeta.Options{TableMiB: 1})
	if err := s.Resize(tooMuch); !errors.Is(err, alphabeta.ErrMemory) {
		t.Errorf("Resize: %v", err)
	}
	if err := alphabeta.CheckTable(tooMuch); !errors.Is(err, alphabeta.ErrMemory) {
		t.Errorf("CheckTable: %v", err)
	}
	if err := alphabeta.CheckTable(1); err != nil {
		t.Errorf("1 MiB: %v", err)
	}
}

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

func TestPonderMisuse(t *testing.T) {
	s := searcher(t, alphabeta.Plain{}, alphabeta.Options{TableMiB: 1})
	pos := gametest.NewMNK(3, 3, 3)
	if _, err := s.Ponder(context.Background(), pos, game.NoMove, alphabeta.Limits{Depth: 1}); err == nil {
		t.Error("it ponders on no move")
	}
	for _, m := range []game.Move{0, 3, 1, 4} {
		pos.Play(m)
	}
	if r, err := s.Ponder(context.Background(), pos, 2, alphabeta.Limits{}); err != nil || r.Stats.Nodes != 0 {
		t.Errorf("%d nodes after the end of the game, %v", r.Stats.Nodes, err)
	}
}
