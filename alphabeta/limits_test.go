package alphabeta_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
)

// A budget of nodes is met to the node, and the nodes are those played.
func TestNodesAreExact(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		nodes := rapid.Int64Range(1, 3000).Draw(rt, "nodes")
		g := rough{seed: rapid.Uint64().Draw(rt, "seed"), quiesce: true, margin: 15}
		r := search(t, g, alphabeta.Options{}, gametest.NewMNK(6, 6, 5), alphabeta.Limits{Nodes: nodes})
		if r.Stats.Nodes != nodes {
			rt.Fatalf("%d nodes, want %d", r.Stats.Nodes, nodes)
		}
	})
}

// Whenever a search is cut short, what it claims is true: a move that loses says
// nothing of moves that were not looked at, and is not played before them.
func TestClaimsOfSearchesCutShort(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pos := game.Position(gametest.NewMNK(3, 3, 3))
		for range rapid.IntRange(0, 6).Draw(rt, "plies") {
			moves := pos.Moves(nil)
			pos.Play(rapid.SampledFrom(moves).Draw(rt, "move"))
			if pos.Outcome() != game.Undecided {
				pos.Undo()
				break
			}
		}
		g := rough{seed: rapid.Uint64().Draw(rt, "seed")}
		nodes := rapid.Int64Range(1, 60).Draw(rt, "nodes")
		r := search(t, g, alphabeta.Options{}.Exhaustive(), pos, alphabeta.Limits{Nodes: nodes})
		if _, claimed := r.Score.Claim(); !claimed {
			return
		}
		won := r.Score > 0
		if value := gametest.Minimax(pos); won && value < 1 || !won && value > -1 {
			rt.Fatalf("after %d nodes %v is claimed, the value is %d", nodes, r.Score, value)
		}
	})
}

// A solver's nodes count, and it is never given more than are left.
func TestSolverNodesCount(t *testing.T) {
	for _, nodes := range []int64{1, 50, 199, 200, 201, 1234, 5000} {
		s := &greedy{}
		g := rough{seed: 4, solver: s}
		r := search(t, g, alphabeta.Options{}, gametest.NewMNK(6, 6, 5), alphabeta.Limits{Nodes: nodes})
		if r.Stats.Nodes != nodes || r.Stats.SolverNodes != s.used.Load() {
			t.Errorf("%d nodes, %d of the solver, which used %d; want %d", r.Stats.Nodes, r.Stats.SolverNodes, s.used.Load(),
				nodes)
		}
	}
}

// A greedy solver gets its share of the nodes and the free ones, and no more; without
// the switch it takes nearly all.
func TestSolverStaysWithinItsShare(t *testing.T) {
	for _, share := range []int{1, 30, 67, 99} {
		g := rough{seed: 4, solver: &greedy{}, share: share}
		for _, threads := range []int{1, 2} {
			for _, nodes := range []int64{100, alphabeta.FreeSolverNodes, 10_000, 40_000} {
				o := alphabeta.Options{Threads: threads}
				r := search(t, g, o, gametest.NewMNK(6, 6, 5), alphabeta.Limits{Nodes: nodes})
				most := int64(share)*r.Stats.Nodes/100 + int64(threads)*alphabeta.FreeSolverNodes
				if r.Stats.SolverNodes > most {
					t.Errorf("%d%%, %d threads: the solver played %d of %d nodes, want at most %d", share, threads,
						r.Stats.SolverNodes, r.Stats.Nodes, most)
				}
				if least := most * 9 / 10; threads == 1 && nodes == 40_000 && r.Stats.SolverNodes < least {
					t.Errorf("%d%%: the solver played %d of %d nodes, want at least %d", share, r.Stats.SolverNodes, r.Stats.Nodes,
						least)
				}
			}
		}
		r := search(t, g, alphabeta.Options{SolverShare: alphabeta.Off}, gametest.NewMNK(6, 6, 5),
			alphabeta.Limits{Nodes: 40_000})
		if r.Stats.SolverNodes < 38_000 {
			t.Errorf("without a bound the solver played %d of 40000 nodes", r.Stats.SolverNodes)
		}
	}
}

// greedy uses up what it is given and finds nothing. Threads may share one.
type greedy struct{ used atomic.Int64 }

func (g *greedy) Solve(_, nodes int) alphabeta.Solution {
	g.used.Add(int64(nodes))
	return alphabeta.Solution{Nodes: nodes}
}

func TestCancel(t *testing.T) {
	pos := gametest.NewMNK(7, 7, 5)
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		r, err := searcher(t, rough{}, alphabeta.Options{Threads: 2}).Search(ctx, pos, alphabeta.Limits{})
		if !errors.Is(err, context.Canceled) || !pos.Legal(r.Move) || r.Stats.Nodes != 0 {
			t.Errorf("move %d after %d nodes, %v", r.Move, r.Stats.Nodes, err)
		}
	})
	t.Run("during", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var at int64
		r, err := searcher(t, rough{}, alphabeta.Options{}).Search(ctx, pos,
			alphabeta.Limits{Progress: func(r alphabeta.Result) {
				if r.Depth == 3 {
					at = r.Stats.Nodes
					cancel()
				}
			}})
		if !errors.Is(err, context.Canceled) || !pos.Legal(r.Move) || r.Depth != 3 || r.Stats.Nodes != at {
			t.Errorf("move %d at depth %d after %d nodes (cancelled at %d), %v", r.Move, r.Depth, r.Stats.Nodes, at, err)
		}
	})
}

// A clock that moves on with every look ends the search by its looks.
func TestTime(t *testing.T) {
	pos := gametest.NewMNK(7, 7, 5)
	var now int64
	s := searcher(t, rough{}, alphabeta.Options{Clock: func() int64 { now += int64(time.Second); return now }})
	r, err := s.Search(context.Background(), pos, alphabeta.Limits{Time: 20 * time.Second})
	if err != nil || !pos.Legal(r.Move) || r.Stats.Nodes == 0 || r.Stats.Nodes > 20*512 ||
		r.Stats.Elapsed < 20*time.Second {
		t.Errorf("%d nodes in %v, %v", r.Stats.Nodes, r.Stats.Elapsed, err)
	}
	r, err = s.Search(context.Background(), pos, alphabeta.Limits{Soft: time.Second})
	if err != nil || r.Depth != 1 {
		t.Errorf("depth %d within a soft limit that has passed, %v; want 1", r.Depth, err)
	}
}

// Several threads solve what one does.
func TestThreads(t *testing.T) {
	for _, shape := range solved[:3] {
		pos := gametest.NewMNK(shape[0], shape[1], shape[2])
		o := alphabeta.Options{Threads: 4}.Exhaustive()
		r := search(t, alphabeta.Plain{}, o, pos, alphabeta.Limits{Depth: pos.MaxMoves()})
		if want := exactly(pos); r.Score != want {
			t.Errorf("%v: %v, want %v", shape, r.Score, want)
		}
	}
	for seed := range uint64(40) {
		const depth = 6
		pos, g := newTree(seed), rough{seed: seed, quiesce: true}
		r := search(t, g, alphabeta.Options{Threads: 3}.Exhaustive(), pos, alphabeta.Limits{Depth: depth})
		if want := oracle(t, g, pos, depth); r.Score != want && !early(r, depth) {
			t.Errorf("tree %d: %v, want %v", seed, r.Score, want)
		}
	}
	const nodes = 40000
	r := search(t, rough{margin: 20, quiesce: true}, alphabeta.Options{Threads: 4}, gametest.NewMNK(7, 7, 5),
		alphabeta.Limits{Nodes: nodes})
	if r.Stats.Nodes > nodes {
		t.Errorf("%d nodes, want at most %d", r.Stats.Nodes, nodes)
	}
}

// A search allocates, its nodes do not.
func TestNodesAllocateNothing(t *testing.T) {
	pos := gametest.NewMNK(6, 6, 5)
	s := searcher(t, rough{quiesce: true, margin: 20}, alphabeta.Options{TableMiB: 1})
	allocs := func(nodes int64) float64 {
		return testing.AllocsPerRun(3, func() {
			s.Clear()
			if _, err := s.Search(context.Background(), pos, alphabeta.Limits{Nodes: nodes}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(500), allocs(20000); many > few+2 {
		t.Errorf("%v allocations in 500 nodes, %v in 20000", few, many)
	}
}
