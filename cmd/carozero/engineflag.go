package main

import (
	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/support/option"
)

// The engines that --engine chooses from.
const (
	engineMCTS      = "mcts"
	engineAlphaBeta = "alphabeta"
)

// engineFlag chooses the engine of a command.
type engineFlag struct{ name string }

// Flags that only one of the engines has.
var (
	mctsFlags      = append([]string{"model", "onnxruntime", "provider", "playouts"}, option.Keys(search.TreeSettingsList)...)
	alphaBetaFlags = []string{"nodes", "depth", "table", "lines", "stats", "level", "ponder", "net"}
)

func (f *engineFlag) register(cmd *cobra.Command, what string) {
	addWord(cmd, &f.name, "engine", engineMCTS, what+": mcts (network and tree search) or alphabeta (classical search)", engineMCTS, engineAlphaBeta)
}

// check refuses flags of the engine that was not chosen.
// A level alone chooses the engine that has levels.
func (f *engineFlag) check(cmd *cobra.Command) error {
	if cmd.Flags().Changed("level") && !cmd.Flags().Changed("engine") {
		f.name = engineAlphaBeta
	}
	foreign, other := alphaBetaFlags, engineAlphaBeta
	if f.name == engineAlphaBeta {
		foreign, other = mctsFlags, engineMCTS
	}
	for _, name := range foreign {
		if cmd.Flags().Changed(name) {
			return usagef("--%s goes with --engine %s, not with %s", name, other, f.name)
		}
	}
	return nil
}
