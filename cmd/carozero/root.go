package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// newRoot returns the command tree.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "carozero",
		Short: "An AlphaZero-style engine for Caro and the gomoku family",
		Long: `CaroZero plays Caro and the gomoku family with a PUCT search over a neural
network, or with a classical alpha-beta search, generates self-play samples, and
measures itself against its limits.`,
		Example: `  carozero selfplay --games 100 --playouts 200 --out runs/first
  carozero search --position h8i9 --playouts 800
  carozero play --level medium
  carozero match --a mcts:playouts=400 --b mcts:playouts=400,model=uniform --games 20`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newSelfplay(),
		newSamples(),
		newSearch(),
		newSolve(),
		newForbidden(),
		newPerft(),
		newMatch(),
		newPlay(),
		newGomocup(),
		newBench(),
		newTactics(),
		newCrosscheck(),
		newFit(),
		newModels(),
		newRuntime(),
		newVersion(),
	)
	return root
}

// noArgs refuses positional arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s: unexpected argument %q; see '%s --help'", cmd.CommandPath(), args[0], cmd.CommandPath())
	}
	return nil
}

// someArgs demands at least one positional argument, which what names.
func someArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%s: needs %s", cmd.CommandPath(), what)
		}
		return nil
	}
}

// groupRun is the action of a command that only holds others: with an
// argument that is none of them it is a usage error, without one it is help.
func groupRun(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return usageError{fmt.Errorf("%s: unknown command %q; one of: %s", cmd.CommandPath(), args[0], strings.Join(names, ", "))}
}
