package main

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/gomocup"
	"github.com/carozero/carozero/internal/gomocup/brain"
)

// newGomocup returns the command "gomocup".
func newGomocup() *cobra.Command {
	var (
		net    netFlags
		search searchFlags
		kind   string
	)
	cmd := &cobra.Command{
		Use:   "gomocup",
		Short: "Speak the Gomocup protocol on standard input and output",
		Long: `Speak the Gomocup (Piskvork) protocol and its Yixin extension on standard input
and output, for managers and boards. The client chooses the size (START, 5 to
22), the rule (INFO rule 0 freestyle, 1 standard, 4 renju, 8 caro-overline,
9 caro), the clocks, and with INFO max_node an exact number of playouts a move.

The program does the same without any argument when its own name starts with
pbrain-, as managers expect of an engine: copy it, or link to it, as
pbrain-carozero.`,
		Example: `  carozero gomocup --playouts 2000
  printf 'START 15\nBEGIN\n' | carozero gomocup --model uniform
  ln -s "$PWD/bin/carozero" pbrain-carozero`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if kind != "mcts" {
				return usagef("--engine %q: the engine that plays is mcts", kind)
			}
			if err := search.check(); err != nil {
				return err
			}
			loader, err := net.loader()
			if err != nil {
				return err
			}
			b := brain.New(loader, brain.Options{Model: net.model, Seed: search.seed, Search: search.options()})
			defer func() { err = errors.Join(err, b.Close()) }()
			server := gomocup.New(b, gomocup.Options{Playouts: search.playouts, Threads: loader.Threads(), Version: version})
			return server.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	net.register(cmd)
	search.register(cmd, gomocup.DefaultPlayouts)
	cmd.Flags().StringVar(&kind, "engine", "mcts", "what finds the moves: mcts")
	complete(cmd, "engine", "mcts")
	return cmd
}

// brainPrefix begins the names of programs that managers take for engines.
const brainPrefix = "pbrain-"

// commandLine returns the arguments that a program of a name stands for.
func commandLine(args []string) []string {
	if strings.HasPrefix(strings.ToLower(filepath.Base(args[0])), brainPrefix) {
		return append([]string{"gomocup"}, args[1:]...)
	}
	return args[1:]
}
