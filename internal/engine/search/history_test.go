package search

import (
	"context"
	"fmt"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/enginetest"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/nn"
	gomokunet "github.com/carozero/carozero/nn/gomoku"
)

// lately is a network that likes the cells around the last moves: it prefers moves near
// stones that were not there on the boards before.
type lately struct{ planes string }

func (l lately) Name() string           { return "lately" }
func (l lately) ID() uint64             { return 7 }
func (l lately) Planes() string         { return l.planes }
func (l lately) Check(nn.Encoder) error { return nil }

func (l lately) Forward(_ context.Context, b *nn.Batch) error {
	for row := range b.Len() {
		planes, policy := b.Planes(row), b.Policy(row)
		n := len(policy)
		clear(policy)
		clear(b.Value(row))
		for at := gomokunet.PlaneOwn * n; at+2*n <= len(planes); at += 2 * n {
			for c := range n {
				weight := planes[at+c] - planes[at+n+c]/2
				policy[(c+1)%n] += weight
				b.Value(row)[0] += weight * float32(c) / float32(n*n)
			}
			if at == gomokunet.PlaneOwn*n {
				at = (gomokunet.Planes - 2) * n // on to the earlier boards
			}
		}
	}
	return nil
}

// latelyTree returns a tree with that network over the planes of a version.
func latelyTree(t *testing.T, v games.Variant, planes string, cache *nn.CacheTable) *Tree {
	t.Helper()
	eval, err := nn.BatchEvaluator(lately{planes}, v, nn.EvaluatorOptions{Capacity: 4, Cache: cache}, false)
	if err != nil {
		t.Fatal(err)
	}
	return NewTreeOver(eval, nil, TreeOptions{Reuse: true})
}

// A position that was reached in another order is, to a network that reads the last moves,
// another position: neither the tree of the one nor its cached results are the other's. A
// network that does not read them keeps both.
func TestTreesTellOrdersApart(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "caro", Size: 9})
	orders := []string{"e5d4f6c3", "f6c3e5d4", "e5c3f6d4"}
	for _, planes := range []string{gomokunet.Version, gomokunet.HistoryVersion} {
		reads := planes == gomokunet.HistoryVersion
		cache := nn.NewCacheTable(1<<20, 81)
		kept := latelyTree(t, v, planes, cache)
		opinions := map[string]bool{}
		for i, text := range orders {
			pos, err := v.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			alone := enginetest.Answer(t, latelyTree(t, v, planes, nil), t.Context(), pos, engine.Limits{Nodes: 60})
			after := enginetest.Answer(t, kept, t.Context(), pos, engine.Limits{Nodes: 60})
			if inherits := after.Stats.Visits > alone.Stats.Visits; inherits != (i > 0 && !reads) {
				t.Errorf("%s, %s: %d visits, %d in a tree of its own", planes, text, after.Stats.Visits, alone.Stats.Visits)
			}
			if reads && fmt.Sprint(alone.Moves) != fmt.Sprint(after.Moves) {
				t.Errorf("%s, %s: %v first after other orders, %v alone", planes, text, after.Moves[0], alone.Moves[0])
			}
			opinions[fmt.Sprint(alone.Moves)] = true
		}
		if len(opinions) != map[bool]int{false: 1, true: len(orders)}[reads] {
			t.Errorf("%s: %d opinions of one position in %d orders", planes, len(opinions), len(orders))
		}
	}
}

// The tree of a position goes on where the game does, with a network that reads the last
// moves too.
func TestTreesWithHistoryAreKept(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "caro", Size: 9})
	e := latelyTree(t, v, gomokunet.HistoryVersion, nil)
	pos, err := v.Parse("e5d4f6c3")
	if err != nil {
		t.Fatal(err)
	}
	first := enginetest.Answer(t, e, t.Context(), pos, engine.Limits{Nodes: 200})
	pos.Play(first.Move)
	if next := enginetest.Answer(t, e, t.Context(), pos, engine.Limits{Nodes: 1}); next.Stats.Visits < 3 {
		t.Errorf("%d visits after the best move of a tree of 200", next.Stats.Visits)
	}
}

// The forms of positions that searches and solvers use keep the last moves.
func TestFormsKeepTheHistory(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "school42", Size: 9})
	pos, err := v.Parse("e5f5a1g5h5")
	if err != nil {
		t.Fatal(err)
	}
	enc, err := v.Encoder(gomokunet.HistoryVersion)
	if err != nil {
		t.Fatal(err)
	}
	if pos.(*gomoku.Board).Captured(game.First) == 0 {
		t.Fatal("nothing was captured")
	}
	want := enc.Key(pos)
	for what, same := range map[string]game.Position{
		"clone": pos.Clone(), "searchable": v.Searchable(pos), "clone of that": v.Searchable(pos).Clone(),
	} {
		if enc.Key(same) != want {
			t.Errorf("the %s has another history", what)
		}
	}
}
