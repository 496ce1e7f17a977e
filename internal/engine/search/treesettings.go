package search

import (
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

// TreeSettings are the settings of every tree search.
type TreeSettings struct {
	Search            mcts.Options
	Solvers           games.SolverNodes
	PolicyTemperature float32 // divisor of the policy's logits, besides the network's own temperature

	// Endgames are in the place of Solvers in the game that they are of; nil: none. They
	// have no key: a file is opened by whoever may name one.
	Endgames games.Endgames
}

// DefaultTreeSettings returns the defaults, with a bound on the tree's memory in MiB.
func DefaultTreeSettings(memory int) TreeSettings {
	s := TreeSettings{Search: mcts.Options{}.WithDefaults(), Solvers: games.DefaultSolvers(), PolicyTemperature: 1}
	s.Search.Memory = int64(memory) << 20
	return s
}

// MemoryMiB returns the bound on the tree's memory in MiB.
func (s *TreeSettings) MemoryMiB() int { return int(s.Search.Memory >> 20) }

// Bytes returns the most memory that a search of so many playouts may take, 0 for any
// number.
func (s *TreeSettings) Bytes(v games.Variant, playouts int) int64 {
	return v.TreeBytes(playouts, s.MemoryMiB()) + games.MaxInFlight*v.RowBytes()
}

// Options returns the settings as a Tree takes them, with an evaluator's options.
func (s *TreeSettings) Options(eval nn.EvaluatorOptions) TreeOptions {
	eval.Temperature = s.PolicyTemperature
	return TreeOptions{Search: s.Search, Solvers: s.Solvers, Endgames: s.Endgames, Eval: eval}
}

// OpenFixed returns a tree search with an empty tree for each position. table, which may be
// nil, caches the network's results; seed is that of its symmetries.
func (s TreeSettings) OpenFixed(n *networks.Net, table *nn.CacheTable, seed uint64) (*Tree, error) {
	return NewTree(n, s.Options(nn.EvaluatorOptions{Threads: 1, Seed: seed, Cache: table}))
}

// TreeSettingsList are the settings of every tree search: the constants of the search,
// the budgets of its solvers, the temperature of the policy.
var TreeSettingsList = append(append(
	option.Within(mcts.Settings, func(s *TreeSettings) *mcts.Options { return &s.Search }),
	option.Within(games.SolverSettings, func(s *TreeSettings) *games.SolverNodes { return &s.Solvers })...),
	option.NumVar(option.Float{
		Key: "policy-temperature", Help: "what the network's policy logits are divided by, beside its own temperature", Default: 1, Min: 0.1, Max: 10,
	}, func(s *TreeSettings) *float32 { return &s.PolicyTemperature }).As("ptemp"),
)

// GameSettings are those of a tree search that plays whole games within one tree: the
// solvers that search before each answer would prove each position anew.
var GameSettings = option.Without(TreeSettingsList, "solver-root", "solver-replies")
