package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/bookbuild"
	"github.com/carozero/carozero/internal/front/crosscheck"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/record/book"
	"github.com/carozero/carozero/internal/support/option"
)

// bookBuildFlags are the settings of a build.
type bookBuildFlags struct {
	positionFlags
	authorFlag
	netFlags
	mcts, alphaBeta string
	opts            bookbuild.Options
	deeper, workers int
}

// newBookBuild returns the command "book build".
func newBookBuild() *cobra.Command {
	var (
		flags  bookBuildFlags
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:   "build FILE",
		Short: "Grow a book by drop-out expansion with both engines",
		Long: `Grow a book below a position by drop-out expansion: the position that a player comes
to from there with the least loss, and that has no successors in the book yet, is
expanded next. Both engines propose its moves and judge what they lead to; where they
differ, both are asked deeper.

--expansions counts those of earlier builds: a build that was interrupted or killed goes
on with the same command, and the book is the same for any number of workers. The file is
made if there is none.`,
		Example: `  carozero book build caro.book --expansions 1000
  carozero book build renju.book --rule renju --position h8h9j10 --expansions 200 --mcts playouts=1600`,
		Args: oneArg("a book"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, sum, err := flags.run(cmd, args[0])
			if err != nil {
				return interrupted(err, "%d positions are expanded, and in the book; go on with: %s", sum.Expanded, again(cmd, args, nil))
			}
			return printBook(cmd, &output, b, func(r *report.Book) {
				r.Build = &report.BookBuild{
					Positions: sum.Positions, Expanded: sum.Expanded, Deeper: sum.Deeper, Value: sum.Value, Proof: sum.Proof.String(), Done: sum.Done,
				}
			})
		},
	}
	flags.positionFlags.register(cmd)
	flags.authorFlag.register(cmd)
	flags.netFlags.registerRuntime(cmd)
	fs, o := cmd.Flags(), &flags.opts
	addInt(cmd, &o.Expansions, option.Count.Named("expansions").With(0, "positions below the first that are expanded, in all (required)").Or0(""))
	fs.StringVar(&flags.mcts, "mcts", "playouts=400", "the tree search, as a player of match")
	fs.StringVar(&flags.alphaBeta, "alphabeta", "nodes=20000", "the classical search, as a player of match")
	addInt(cmd, &o.Width, option.Count.Named("width").With(4, "most moves of a position that an engine proposes"))
	addFloat(cmd, &o.Near, option.Float{Key: "near", Help: "how much worse than its best move a move may be that an engine proposes, of values from -1 to 1", Default: 0.3, Min: 0.001, Max: 2})
	addFloat(cmd, &o.Penalty, option.Float{Key: "penalty", Help: "what a move costs on the way to a position, besides the loss of value; more makes books wider", Default: 0.05, Min: 0.0001, Max: 2})
	addFloat(cmd, &o.Differ, option.Float{Key: "differ", Help: "difference of the engines' values beyond which they are asked deeper", Default: 0.4, Min: 0.001, Max: 2})
	addInt(cmd, &flags.deeper, option.Deeper.With(4, "how many times as much both engines get where they differ"))
	addInt(cmd, &flags.workers, option.Workers.With(int64(runtime.NumCPU()), "positions at once; changes nothing in the book"))
	output.register(cmd)
	return cmd
}

// run builds and returns the open book.
func (f *bookBuildFlags) run(cmd *cobra.Command, path string) (*book.Book, bookbuild.Summary, error) {
	var sum bookbuild.Summary
	if f.opts.Expansions == 0 {
		return nil, sum, usagef("--expansions is missing: say how many positions are to be expanded, in all")
	}
	setup, err := crosscheck.ParseSetup(f.mcts, f.alphaBeta)
	if err != nil {
		return nil, sum, asUsage(fmt.Errorf("--%w", err))
	}
	if f.opts.Stamp, err = f.stamp(); err != nil {
		return nil, sum, err
	}
	b, undo, err := makeBook(path)
	if err != nil {
		return nil, sum, err
	}
	if sum, err = f.build(cmd, b, setup); err != nil {
		err = undo(err)
	}
	return b, sum, err
}

// build grows an open book.
func (f *bookBuildFlags) build(cmd *cobra.Command, b *book.Book, setup crosscheck.Setup) (sum bookbuild.Summary, err error) {
	if f.opts.Root, err = settledBoard(cmd, b, &f.positionFlags); err != nil {
		return sum, err
	}
	v, err := f.variant()
	if err != nil {
		return sum, err
	}
	var m option.Memory
	m.Add(fmt.Sprintf("--workers %d", f.workers), setup.Bytes(v, f.deeper), f.workers)
	if err := checkMemory(&m); err != nil {
		return sum, err
	}
	f.netFlags.model = setup.Model
	net, err := f.netFlags.open(v)
	if err != nil {
		return sum, err
	}
	defer net.Close()
	return f.grow(cmd, b, setup, net)
}

// grow runs the builder with a network.
func (f *bookBuildFlags) grow(cmd *cobra.Command, b *book.Book, setup crosscheck.Setup, net *networks.Net) (bookbuild.Summary, error) {
	o := f.opts
	o.Playouts, o.Nodes, o.Deeper = int64(setup.Playouts), int64(setup.Nodes), int64(f.deeper)
	o.Sources = [2]book.Source{
		{Engine: "mcts", Network: net.Name, Build: version},
		{Engine: "alphabeta", Build: version},
	}
	builder := setup.Builder(net, 0, nil)
	bar := newProgress(o.Expansions, "positions expanded")
	defer bar.Close()
	return bookbuild.Build(cmd.Context(), b, o, bookbuild.Host{
		Workers: f.workers,
		Engines: func() (bookbuild.Engines, error) {
			e, err := builder()
			return bookbuild.Engines{e.MCTS, e.AlphaBeta}, err
		},
		Progress: func(s bookbuild.Summary) { bar.at(s.Expanded, o.Expansions) },
	})
}
