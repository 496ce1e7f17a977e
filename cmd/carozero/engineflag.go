package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/support/option"
)

// The engines that --engine chooses from.
const (
	engineMCTS      = "mcts"
	engineAlphaBeta = "alphabeta"
	engineBoth      = "both"
)

// engineFlag chooses the engine of a command.
type engineFlag struct {
	name string
	both search.BothSettings // but the threads
}

// Flags that only one of the engines has.
var (
	mctsFlags      = append([]string{"model", "onnxruntime", "provider", "playouts"}, option.Keys(singleSettings)...)
	alphaBetaFlags = []string{"nodes", "depth", "table", "lines", "stats", "level", "ponder", "net", "techniques"}
	bothFlags      = option.Keys(search.BothSettingsList)

	// aloneFlags don't go with both searches together: budgets of one of them, and what
	// only one can show.
	aloneFlags = []string{"nodes", "depth", "lines", "stats", "level", "ponder", "early-stop"}
)

// register declares the flags; usual is the engine where none is named.
func (f *engineFlag) register(cmd *cobra.Command, what, usual string) {
	addWord(cmd, &f.name, "engine", usual, what+": mcts (network and tree search), alphabeta (classical search) or both (which share the budget in playouts)", engineMCTS, engineAlphaBeta, engineBoth)
	f.both = search.DefaultBothSettings()
	addSettings(cmd, search.BothSettingsList, &f.both, engineBoth)
}

// check refuses flags of the engine that was not chosen.
// A level alone chooses the engine that has levels.
func (f *engineFlag) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("level") && !cmd.Flags().Changed("engine") {
		f.name = engineAlphaBeta
	}
	foreign := map[string][]string{
		engineMCTS:      append(slices.Clone(alphaBetaFlags), bothFlags...),
		engineAlphaBeta: append(slices.Clone(mctsFlags), bothFlags...),
		engineBoth:      aloneFlags,
	}
	for _, name := range foreign[f.name] {
		if cmd.Flags().Changed(name) {
			return usagef("--%s goes with --engine %s, not with %s", name, ownerOf(name), f.name)
		}
	}
	return nil
}

// ownerOf returns the engine that has a flag.
func ownerOf(flag string) string {
	switch {
	case slices.Contains(bothFlags, flag):
		return engineBoth
	case slices.Contains(mctsFlags, flag):
		return engineMCTS
	}
	return engineAlphaBeta
}

// join makes one engine of both searches, with as many threads as the flags say.
func (f *engineFlag) join(t *search.Tree, c *search.Classical, threads int) *search.Both {
	s := f.both
	s.Threads = min(2, max(1, threads))
	return search.NewBoth(t, c, s)
}
