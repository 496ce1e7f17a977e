package main

import (
	"slices"
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
		newCertificate(),
		newBitbase(),
		newBook(),
		newForbidden(),
		newConvert(),
		newShow(),
		newPerft(),
		newMatch(),
		newPlay(),
		newGomocup(),
		newAnalysis(),
		newReview(),
		newServe(),
		newBench(),
		newTactics(),
		newCrosscheck(),
		newFit(),
		newTune(),
		newLoop(),
		newCluster(),
		newModels(),
		newRuntime(),
		newVersion(),
	)
	return root
}

// offerHelp adds the library's commands that a root with its output has beside its own, and
// makes them refuse what they do not know.
func offerHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			show := cmd.Run
			cmd.Run, cmd.RunE = nil, func(cmd *cobra.Command, args []string) error {
				if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return usagef("help: unknown command %s; 'carozero --help' lists all", shownValue(strings.Join(args, " ")))
				}
				show(cmd, args)
				return nil
			}
		case "completion":
			cmd.Args, cmd.RunE = nil, groupRun
			for _, shell := range cmd.Commands() {
				shell.Args = noArgs
			}
		}
	}
}

// within begins a message about a command: with its name but not the program's,
// which main puts before every message.
func within(cmd *cobra.Command) string {
	_, name, below := strings.Cut(cmd.CommandPath(), " ")
	if !below {
		return ""
	}
	return name + ": "
}

// noArgs refuses positional arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%sunexpected argument %s; see '%s --help'", within(cmd), shownValue(args[0]), cmd.CommandPath())
	}
	return nil
}

// someArgs demands at least one positional argument, which what names.
func someArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("%sneeds %s", within(cmd), what)
		}
		return noneEmpty(cmd, args, what)
	}
}

// oneArg demands exactly one positional argument, which what names.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usagef("%swant %s", within(cmd), what)
		}
		return noneEmpty(cmd, args, what)
	}
}

// anyArgs allows any number of positional arguments, which what names.
func anyArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error { return noneEmpty(cmd, args, what) }
}

// noneEmpty returns an error if an argument is empty, as where a script's variable was
// not set: no error of the system would say what that name is.
func noneEmpty(cmd *cobra.Command, args []string, what string) error {
	if i := slices.Index(args, ""); i >= 0 {
		return usagef("%sargument %d is empty: want %s", within(cmd), i+1, what)
	}
	return nil
}

// group returns a command that only holds others.
func group(use, short string, others ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, RunE: groupRun}
	cmd.AddCommand(others...)
	return cmd
}

// groupRun is the action of a group: it prints the help, or returns a usage error for an
// argument that is not one of its commands.
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
	return usagef("%sunknown command %s; one of: %s", within(cmd), shownValue(args[0]), strings.Join(names, ", "))
}
