package engine

import (
	"context"
	"slices"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/arena"
)

// fixedTreeArgs are the arguments of a fixed tree search. A fixed search is
// described as a player is, without what only a game gives sense or what makes
// it no function of position and budget: clocks, reuse, randomness, threads.
var fixedTreeArgs = []string{"playouts", "model", "in-flight", "memory", "solver", "vct", "parries", "lcb", "cpuct", "spread", "ptemp"}

// FixedTree is what the description of a fixed tree search says.
type FixedTree struct {
	Playouts int
	Model    string // "": the shipped one

	search      mcts.Options
	solvers     SolverNodes
	temperature float32
}

// ParseFixedTree reads the description of a fixed tree search.
func ParseFixedTree(spec arena.Spec) (f FixedTree, err error) {
	if err = spec.Args.Only(fixedTreeArgs...); err != nil {
		return f, err
	}
	if _, err = spec.Args.Int("playouts", 1, 1, maxBudget); err != nil {
		return f, err
	}
	o, _, err := searchOptions(spec)
	if err != nil {
		return f, err
	}
	f.Playouts, f.search = o.Playouts, o.Search
	f.Model, _ = spec.Args.Get("model")
	if f.solvers, err = solverNodes(spec); err != nil {
		return f, err
	}
	f.temperature, err = policyTemperature(spec)
	return f, err
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
	eval, err := n.Evaluator(EvalOptions{Capacity: MaxInFlight, Threads: 1, Seed: seed, Cache: table, Temperature: f.temperature})
	if err != nil {
		return nil, err
	}
	return &TreeSearch{mcts.New(f.search, eval, n.variant.Solvers(f.solvers)), n.variant}, nil
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
