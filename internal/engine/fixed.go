package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

// fixedTreeArgs are the arguments of a fixed tree search. A fixed search is
// described as a player is, without what only a game gives sense or what makes
// it no function of position and budget: clocks, reuse, randomness, threads.
var fixedTreeArgs = []string{"playouts", "model", "in-flight", "memory", "solver", "vct", "parries", "lcb", "cpuct", "spread", "ptemp"}

// FixedTree is what the description of a fixed tree search says.
type FixedTree struct {
	Playouts int
	Model    string // "": the shipped one

	setup treeSetup
}

// ParseFixedTree reads the description of a fixed tree search.
func ParseFixedTree(spec arena.Spec) (FixedTree, error) {
	f := FixedTree{setup: newTreeSetup()}
	if err := read(chosen(treeArguments, fixedTreeArgs...), spec.Args, &f.setup); err != nil {
		return f, err
	}
	f.Playouts, f.Model = f.setup.playouts, f.setup.model
	if text, given := spec.Args.Get("playouts"); f.Playouts == 0 && given {
		return f, fmt.Errorf("playouts=%s: want %s", text, option.Playouts.Range())
	} else if !given {
		f.Playouts = playerPlayouts
	}
	return f, nil
}

// Bytes returns what one such search of so many playouts may take.
func (f FixedTree) Bytes(v Variant, playouts int) int64 {
	return v.TreeBytes(playouts, f.setup.memory) + MaxInFlight*v.RowBytes()
}

// TreeSearch searches one position after the other, each with an empty tree.
// It belongs to one goroutine.
type TreeSearch struct {
	searcher *mcts.Searcher
	variant  Variant
}

// Open sets the search up with a network, whose results the table keeps if
// there is one, and the seed of its symmetries.
func (f FixedTree) Open(n *Net, table *nn.CacheTable, seed uint64) (*TreeSearch, error) {
	eval, err := n.Evaluator(EvalOptions{
		Capacity: MaxInFlight, Threads: 1, Seed: seed, Cache: table, Temperature: f.setup.policyTemperature,
	})
	if err != nil {
		return nil, err
	}
	return &TreeSearch{mcts.New(f.setup.options(n.variant).Search, eval, n.variant.Solvers(f.setup.solvers)), n.variant}, nil
}

// Search fills r with what the playouts found in an undecided position.
func (t *TreeSearch) Search(ctx context.Context, pos game.Position, playouts int, r *mcts.Result) error {
	err := t.searcher.SetPosition(t.variant.Searchable(pos))
	if err == nil {
		err = t.searcher.Search(ctx, mcts.Limits{Playouts: playouts})
	}
	if err == nil {
		t.searcher.Result(r)
	}
	return err
}

// FixedTreeArgs returns the arguments of a fixed tree search.
func FixedTreeArgs() []string { return slices.Clone(fixedTreeArgs) }

// FixedClassicalArgs returns the arguments of a fixed classical search beside
// techniques.
func FixedClassicalArgs() []string { return []string{"nodes", "table", "weights"} }

// ParseFixedClassical reads the description of a fixed classical search: one
// thread, within limits in nodes.
func ParseFixedClassical(spec arena.Spec) (ClassicalOptions, alphabeta.Limits, error) {
	if err := spec.Args.Only(append(Techniques(), FixedClassicalArgs()...)...); err != nil {
		return ClassicalOptions{}, alphabeta.Limits{}, err
	}
	s, err := classicalOptions(spec)
	return s.engine, s.limits, err
}
