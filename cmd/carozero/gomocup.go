package main

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/gomocup"
	"github.com/carozero/carozero/internal/option"
)

// gomocupCommand holds the flags of the command "gomocup".
type gomocupCommand struct {
	engineFlags
	book bookFlag
}

// newGomocup returns the command "gomocup".
func newGomocup() *cobra.Command {
	var g gomocupCommand
	return plain(&cobra.Command{
		Use:   "gomocup",
		Short: "Speak the Gomocup protocol on standard input and output",
		Long: `Speak the Gomocup (Piskvork) protocol and its Yixin extension on standard input
and output, for managers and boards. The client chooses the size (START, 5 to
22), the rule (INFO rule 0 freestyle, 1 standard, 4 renju, 8 caro-overline,
9 caro), the clocks, threads and memory, with INFO max_node an exact number of
playouts (mcts) or nodes (alphabeta) a move, and with INFO pondering 1 that the
engine thinks during the opponent's turn; moves then depend on the opponent's
time and are not reproducible.

The program does the same without any argument when its own name starts with
pbrain-, as managers expect of an engine: copy it, or link to it, as
pbrain-carozero. A name that contains mcts or alphabeta plays by that engine,
as pbrain-carozero-mcts does.`,
		Example: `  carozero gomocup --threads 2 --table 256
  carozero gomocup --engine mcts --playouts 2000
  printf 'START 15\nBEGIN\n' | carozero gomocup
  ln -s "$PWD/bin/carozero" pbrain-carozero-mcts`,
	}, g.run, g.register, g.registerLevel, g.book.register)
}

func (g *gomocupCommand) register(cmd *cobra.Command) {
	// alpha-beta is the stronger in equal time; the solver is cheap, since clocks may be short
	g.engineFlags.register(cmd, "what finds the moves", engineAlphaBeta, gomocup.DefaultNodes, games.DefaultSolvers().Root)
}

func (g *gomocupCommand) run(cmd *cobra.Command, _ []string) (err error) {
	g.settle(cmd)
	if err := g.book.open(); err != nil {
		return err
	}
	defer g.book.close()
	o := gomocup.Options{Version: version, Nodes: g.playouts}
	var open gomocup.Open
	if g.name == engineAlphaBeta {
		options, err := g.classical(g.level)
		if err != nil {
			return err
		}
		limits := g.within(0)
		o = gomocup.ClassicalBudget()
		o.Version, o.Depth, o.Seed = version, limits.Depth, g.seed
		if limits.Nodes > 0 {
			o.Nodes = int(limits.Nodes)
		}
		open = gomocup.NewClassicalSetup(options).Open
	} else {
		if int64(g.tree.MemoryMiB()) > option.TreeMemory.Default { // the default is never refused
			if err := g.checkTree(g.tree.Search.Memory); err != nil {
				return err
			}
		}
		loader := g.loader()
		trees := gomocup.NewTreeSetup(loader, g.model, g.treeOptions())
		defer func() { err = errors.Join(err, trees.Close()) }()
		o.Threads, open = loader.Threads(), trees.Open
	}
	return gomocup.New(g.withBook(open), o).Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
}

// withBook returns what opens an engine that plays from the book first, in games of rules
// and a size that the book has.
func (g *gomocupCommand) withBook(open gomocup.Open) gomocup.Open {
	return func(s gomocup.Settings) (engine.Engine, error) {
		e, err := open(s)
		if err != nil {
			return nil, err
		}
		v, err := games.NewVariant(games.VariantOptions{Rule: s.Rule, Size: s.Size})
		if err != nil {
			return nil, err
		}
		return g.book.before(e, v), nil
	}
}

// brainPrefix begins the names of programs that managers take for engines.
const brainPrefix = "pbrain-"

// commandLine returns the arguments that a program's name stands for.
func commandLine(args []string) []string {
	name := strings.ToLower(filepath.Base(args[0]))
	if !strings.HasPrefix(name, brainPrefix) {
		return args[1:]
	}
	command := []string{"gomocup"}
	for _, e := range []string{engineMCTS, engineAlphaBeta} {
		if strings.Contains(name, e) {
			command = append(command, "--engine", e)
			break
		}
	}
	return append(command, args[1:]...)
}
