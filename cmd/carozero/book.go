package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
)

// newBook returns the command "book".
func newBook() *cobra.Command {
	return group("book", "Opening books: build, fill, ask, merge and check them",
		newBookBuild(), newBookProve(), newBookAdd(), newBookShow(), newBookQuery(), newBookImport(), newBookExport(), newBookMerge(), newBookVerify(), newBookPrune())
}

// bookAuthor is who writes where nobody is named.
const bookAuthor = "carozero"

// authorFlag says who writes.
type authorFlag struct{ name string }

func (f *authorFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "author", bookAuthor, "who writes: kept with what is written")
}

// stamp returns who writes, and when: now, or what SOURCE_DATE_EPOCH says
// (reproducible-builds.org), so that a book can be made again.
func (f *authorFlag) stamp() (book.Stamp, error) {
	s := book.Stamp{Author: f.name, Time: time.Now().UTC().Truncate(time.Second)}
	if text := os.Getenv("SOURCE_DATE_EPOCH"); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds < 0 {
			return s, usagef("SOURCE_DATE_EPOCH %s: want a number of seconds since 1970", shownValue(text))
		}
		s.Time = time.Unix(seconds, 0).UTC()
	}
	return s, nil
}

// makeBook opens a book for writing, and makes one where no file is or an empty one. Where the command
// fails, undo closes the book, and takes it away again if it was made for nothing.
func makeBook(path string) (b *book.Book, undo func(err error) error, err error) {
	info, err := os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0
	if fresh {
		b, err = book.Create(path, rand.Reader)
	} else {
		b, err = book.Open(path, book.ReadWrite)
	}
	return b, func(err error) error {
		list, listErr := b.Variants()
		if err = errors.Join(err, b.Close()); fresh && listErr == nil && len(list) == 0 {
			err = errors.Join(err, os.Remove(path))
		}
		return err
	}, err
}

// printBook prints what is in a book and what was done to it, and closes it.
func printBook(cmd *cobra.Command, output *outputFlags, b *book.Book, change func(r *report.Book)) error {
	r, err := report.NewBook(b)
	if err = errors.Join(err, b.Close()); err != nil {
		return err
	}
	if change != nil {
		change(r)
	}
	return output.print(cmd, r)
}

// settleBook gives flags that name no rule and no size those of a book that is of one.
func (f *variantFlags) settleBook(b *book.Book) error {
	if f.given("rule") || f.given("size") || f.given("open-rule") || f.given("game") {
		return nil
	}
	list, err := b.Variants()
	if err == nil && len(list) == 1 {
		v := list[0]
		f.opts.Rule, f.opts.Size, f.opts.OpenRule = v.Rules.Name, v.Size, v.Rules.OpenDistance > 0
	}
	return err
}

// bookVariant returns the variant of the flags, which must be one of gomoku.
func (f *variantFlags) bookVariant() (book.Variant, error) {
	v, err := f.variant()
	if err != nil {
		return book.Variant{}, err
	}
	rules, ok := v.Gomoku()
	if !ok {
		return book.Variant{}, usagef("--game %s: books hold positions of gomoku", v.Game)
	}
	return book.Variant{Rules: rules, Size: v.Size}, nil
}

// bookBoard returns the position of the flags, in which there must be a move to find.
func bookBoard(cmd *cobra.Command, f *positionFlags) (*gomoku.Board, error) {
	_, pos, err := f.open(cmd)
	if err != nil {
		return nil, err
	}
	board, ok := pos.(*gomoku.Board)
	if !ok {
		return nil, usagef("--game %s: books hold positions of gomoku", f.opts.Game)
	}
	return board, nil
}

// newBookShow returns the command "book show".
func newBookShow() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:     "show FILE",
		Short:   "Say what is in a book",
		Long:    `Say of which rules and sizes a book is, and how much there is of each.`,
		Example: "  carozero book show caro.book",
		Args:    oneArg("a book"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := book.Open(args[0], book.ReadOnly)
			if err != nil {
				return err
			}
			return printBook(cmd, &output, b, nil)
		},
	}
	output.register(cmd)
	return cmd
}

// newBookVerify returns the command "book verify".
func newBookVerify() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Read all of a book and check it, certificates included",
		Long: `Read all of a book and check it: the file, the positions and their keys, the bounds
of what is said of them, the sums of the results, and every certificate by the rules.
The exit status is 3 if the book is damaged.`,
		Example: "  carozero book verify caro.book",
		Args:    oneArg("a book"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := book.Open(args[0], book.ReadOnly)
			if err != nil {
				return found(notDamaged(err), errors.Is(err, book.ErrDamaged), "%v", err)
			}
			bar := newProgress(-1, "positions")
			sum, err := b.Verify(cmd.Context(), func(int) { bar.step() })
			_ = bar.Close()
			if err != nil {
				_ = b.Close()
				return found(notDamaged(interrupted(err, "%d positions were looked at", sum.Positions)), errors.Is(err, book.ErrDamaged), "%s: %v", args[0], err)
			}
			return printBook(cmd, &output, b, func(r *report.Book) {
				r.Done = &report.BookDone{Read: sum.Positions, Values: sum.Values, Certificates: sum.Certificates}
			})
		},
	}
	output.register(cmd)
	return cmd
}

// notDamaged returns err, nil for that of a damaged book.
func notDamaged(err error) error {
	if errors.Is(err, book.ErrDamaged) {
		return nil
	}
	return err
}

// noteOf returns what prints a line about the work.
func noteOf(cmd *cobra.Command) func(text string) {
	return func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "carozero: "+oneLine(text)) }
}

// bookBuildFlags are the settings of a build.
type bookBuildFlags struct {
	positionFlags
	authorFlag
	netFlags
	mcts, alphaBeta string
	opts            book.BuildOptions
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
	addNum(cmd, &o.Expansions, option.Count.Named("expansions").With(0, "positions below the first that are expanded, in all (required)").ZeroMeans(""))
	fs.StringVar(&flags.mcts, "mcts", "playouts=400", "the tree search, as a player of match")
	fs.StringVar(&flags.alphaBeta, "alphabeta", "nodes=20000", "the classical search, as a player of match")
	addNum(cmd, &o.Width, option.Count.Named("width").With(4, "most moves of a position that an engine proposes"))
	addNum(cmd, &o.Near, option.Float{Key: "near", Help: "how much worse than its best move a move may be that an engine proposes, of values from -1 to 1", Default: 0.3, Min: 0.001, Max: 2})
	addNum(cmd, &o.Penalty, option.Float{Key: "penalty", Help: "what a move costs on the way to a position, besides the loss of value; more makes books wider", Default: 0.05, Min: 0.0001, Max: 2})
	addNum(cmd, &o.Differ, option.Float{Key: "differ", Help: "difference of the engines' values beyond which they are asked deeper", Default: 0.4, Min: 0.001, Max: 2})
	addNum(cmd, &flags.deeper, option.Deeper.With(4, "how many times as much both engines get where they differ"))
	addNum(cmd, &flags.workers, option.Workers.With(int64(runtime.NumCPU()), "positions at once; changes nothing in the book"))
	output.register(cmd)
	return cmd
}

// run builds and returns the open book.
func (f *bookBuildFlags) run(cmd *cobra.Command, path string) (*book.Book, book.Built, error) {
	var sum book.Built
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
func (f *bookBuildFlags) build(cmd *cobra.Command, b *book.Book, setup crosscheck.Setup) (sum book.Built, err error) {
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
func (f *bookBuildFlags) grow(cmd *cobra.Command, b *book.Book, setup crosscheck.Setup, net *networks.Net) (book.Built, error) {
	o := f.opts
	o.Playouts, o.Nodes, o.Deeper = int64(setup.Playouts), int64(setup.Nodes), int64(f.deeper)
	o.Sources = [2]book.Source{
		{Engine: "mcts", Network: net.Name, Build: version},
		{Engine: "alphabeta", Build: version},
	}
	builder := setup.Builder(net, 0, nil)
	bar := newProgress(o.Expansions, "positions expanded")
	defer bar.Close()
	return book.Build(cmd.Context(), b, o, book.BuildHost{
		Workers: f.workers,
		Judges: func() (book.Judges, error) {
			e, err := builder()
			return book.Judges{e.MCTS, e.AlphaBeta}, err
		},
		Progress: func(expanded int) { _ = bar.Set(expanded) },
	})
}

// bookProveFlags say which positions are to be proven.
type bookProveFlags struct {
	positionFlags
	authorFlag
	opts  book.ProveOptions
	nodes int
	fours int
}

// newBookProve returns the command "book prove".
func newBookProve() *cobra.Command {
	var (
		flags  bookProveFlags
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:   "prove FILE",
		Short: "Look for wins with quiet moves in positions of a book, and keep their certificates",
		Long: `Look for wins of the side to move in the positions to which moves near the best lead,
the most promising first, with proof-number search. Positions that are won by fours
within a few moves are noted and not counted. Every win is checked by the rules and kept
with its certificate.

--proofs counts the wins of earlier runs: a run that was interrupted or killed goes on
with the same command. The next "book build" carries the wins back to the positions
before.`,
		Example: "  carozero book prove caro.book --proofs 1000",
		Args:    oneArg("a book"),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := book.Open(args[0], book.ReadWrite)
			if err != nil {
				return err
			}
			sum, err := flags.run(cmd, b)
			if err != nil {
				_ = b.Close()
				return interrupted(err, "%d positions are proven, and in the book; go on with: %s", sum.Proven, again(cmd, args, nil))
			}
			return printBook(cmd, &output, b, func(r *report.Book) {
				r.Proved = &report.BookProved{Reached: sum.Reached, Tried: sum.Tried, Fours: sum.Fours, Proven: sum.Proven, Follows: sum.Follows, Done: sum.Done}
			})
		},
	}
	flags.positionFlags.register(cmd)
	flags.authorFlag.register(cmd)
	o := &flags.opts
	addNum(cmd, &o.Proofs, option.Count.Named("proofs").With(1000, "positions that are to be proven, in all"))
	addNum(cmd, &flags.nodes, option.Nodes.With(5_000_000, "most moves that the search for one win plays"))
	addNum(cmd, &flags.fours, option.Nodes.Named("fours").With(1000, "moves within which a win by fours leaves a position out"))
	addNum(cmd, &o.Follow, option.Int{Key: "follow", Help: "moves of the winner that are played on after each win: the positions that answers lead to, unless they are won by fours, are proven too", Default: 1, Min: 0, Max: 100})
	addNum(cmd, &o.Near, option.Float{Key: "near", Help: "how much worse than the best each move on the way may be, of values from -1 to 1", Default: 0.1, Min: 0.001, Max: 2})
	addNum(cmd, &o.Least, option.Float{Key: "least", Help: "value for the side to move from which a win is looked for", Default: 0.3, Min: -1, Max: 1})
	output.register(cmd)
	return cmd
}

// run proves positions of an open book.
func (f *bookProveFlags) run(cmd *cobra.Command, b *book.Book) (sum book.Proved, err error) {
	if f.opts.Root, err = settledBoard(cmd, b, &f.positionFlags); err != nil {
		return sum, err
	}
	if f.opts.Stamp, err = f.stamp(); err != nil {
		return sum, err
	}
	v, err := f.variant()
	if err != nil {
		return sum, err
	}
	f.opts.Build, f.opts.Nodes = version, int64(f.nodes)
	bar := newProgress(f.opts.Proofs, "positions proven")
	defer bar.Close()
	f.opts.Progress = func(proven int) { _ = bar.Set(proven) }
	return book.Prove(cmd.Context(), b, f.opts, book.NewProvers(v, f.fours))
}
