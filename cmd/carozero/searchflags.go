package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/nn"
)

// searchFlags are the settings of one MCTS search.
type searchFlags struct {
	playouts int
	settings search.TreeSettings
	seed     uint64
}

// rootSolver is the budget of the solver at the root for a search of a single position. It
// finds all wins of the tactical suite.
const rootSolver = 60_000

// singleSettings are the settings of a search that is no game's of self-play: it has no noise.
var singleSettings = option.Without(search.TreeSettingsList, "noise-total", "noise-share")

// register adds the flags with the defaults of a command.
func (f *searchFlags) register(cmd *cobra.Command, playouts, root int) {
	f.settings = search.DefaultTreeSettings(int(option.TreeMemory.Default))
	f.settings.Solvers.Root = root
	addInt(cmd, &f.playouts, option.Playouts.With(int64(playouts), "playouts of a search"))
	addSettings(cmd, singleSettings, &f.settings, "")
	addSeed(cmd, &f.seed, option.RandomSeed)
}

// check refuses a search that there is no memory for.
func (f *searchFlags) check(v games.Variant) error {
	var m option.Memory
	m.Add(fmt.Sprintf("--memory %d", f.settings.MemoryMiB()), f.settings.Bytes(v, f.playouts))
	return checkMemory(&m)
}

// checkTree refuses a tree that there is no memory for, in searches that may
// fill it; the default is never refused.
func (f *searchFlags) checkTree() error {
	if int64(f.settings.MemoryMiB()) <= option.TreeMemory.Default {
		return nil
	}
	var m option.Memory
	m.Add(fmt.Sprintf("--memory %d", f.settings.MemoryMiB()), f.settings.Search.Memory)
	return checkMemory(&m)
}

// tree returns what the flags say of a tree search.
func (f *searchFlags) tree() search.TreeOptions {
	return f.settings.Options(nn.EvaluatorOptions{Seed: f.seed})
}
