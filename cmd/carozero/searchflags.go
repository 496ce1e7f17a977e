package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/mcts"
)

// searchFlags are the settings of one MCTS search.
type searchFlags struct {
	playouts, inFlight, memory int
	solvers                    engine.SolverNodes
	seed                       uint64
}

// rootSolver is the budget of the solver at the root where a search has a
// position to itself: with it the wins of the tactical suite are all found.
const rootSolver = 60_000

// register adds the flags with the defaults of a command.
func (f *searchFlags) register(cmd *cobra.Command, playouts, root int) {
	solvers := engine.DefaultSolvers()
	addInt(cmd, &f.playouts, option.Playouts.With(int64(playouts), "playouts of a search"))
	addInt(cmd, &f.inFlight, option.InFlight.With(0, "playouts under way at once; part of the algorithm: changes the tree; 2 by default"))
	addInt(cmd, &f.memory, option.TreeMemory)
	addLeafNodes(cmd, &f.solvers.Leaf, "budget of the solver of continuous fours at each leaf; a proven leaf needs no network")
	addInt(cmd, &f.solvers.Root, option.SolverNodes.Named("root-solver-nodes").With(int64(root), "budget of the solvers of continuous fours, and of fours and threes, at the root"))
	addInt(cmd, &f.solvers.Defences, option.SolverNodes.Named("parry-nodes").With(int64(solvers.Defences), "budget of the solver of the opponent's continuous fours after each move of the root"))
	addSeed(cmd, &f.seed, option.RandomSeed)
}

// check refuses a search that there is no memory for.
func (f *searchFlags) check(v engine.Variant) error {
	var m option.Memory
	addTree(&m, v, f.playouts, f.memory, engine.MaxInFlight)
	return checkMemory(&m)
}

// checkTree refuses a tree that there is no memory for, in searches that may
// fill it; the default is never refused.
func (f *searchFlags) checkTree() error {
	if int64(f.memory) <= option.TreeMemory.Default {
		return nil
	}
	var m option.Memory
	m.Add(fmt.Sprintf("--memory %d", f.memory), int64(f.memory)<<20)
	return checkMemory(&m)
}

// tree returns what the flags say of a tree search.
func (f *searchFlags) tree() engine.TreeOptions {
	return engine.TreeOptions{
		Search: mcts.Options{InFlight: f.inFlight, Memory: int64(f.memory) << 20}, Solvers: f.solvers,
		Eval: engine.EvalOptions{Seed: f.seed},
	}
}
