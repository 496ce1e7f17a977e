package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
)

// newBook returns the command "book".
func newBook() *cobra.Command {
	return group("book", "Opening books: build, ask and check them",
		newBookBuild(), newBookProve(), newBookShow(), newBookQuery(), newBookVerify())
}

// bookWork is what a command does with an open book. It returns what is printed; nil: nothing.
type bookWork func(cmd *cobra.Command, b *book.Book, args []string) (report.Report, error)

// onBook gives a command its work on the book that is its first argument, which open opens.
func onBook(cmd *cobra.Command, open func(path string) (*book.Book, error), work bookWork) *cobra.Command {
	cmd.Args = takes(1, 1, "a book")
	return define(cmd, func(cmd *cobra.Command, args []string) (report.Report, error) {
		b, err := open(args[0])
		if err != nil {
			return nil, err
		}
		r, err := work(cmd, b, args)
		if err != nil {
			_ = b.Close() // the first error counts
			return nil, err
		}
		return r, b.Close()
	})
}

// readBook and writeBook open a book that is there.
func readBook(path string) (*book.Book, error)  { return book.Open(path, book.ReadOnly) }
func writeBook(path string) (*book.Book, error) { return book.Open(path, book.ReadWrite) }

// makeBook opens a book for writing, and makes one where no file is or an empty one.
func makeBook(path string) (*book.Book, error) {
	info, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) && (err != nil || !info.Mode().IsRegular() || info.Size() > 0) {
		return writeBook(path)
	}
	return book.Create(path, rand.Reader)
}

// authorFlag says who writes.
type authorFlag struct{ name string }

func (f *authorFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "author", "carozero", "who writes: kept with what is written")
}

// stamp returns who writes, and when.
func (f *authorFlag) stamp() book.Stamp {
	return book.Stamp{Author: f.name, Time: time.Now().UTC().Truncate(time.Second)}
}

// settleBook gives flags that name no rule and no size those of a book that is of one.
func (f *variantFlags) settleBook(b *book.Book) error {
	if f.named() {
		return nil
	}
	list, err := b.Variants()
	if err == nil && len(list) == 1 {
		v := list[0]
		f.opts.Rule, f.opts.Size, f.opts.OpenRule = v.Rules.Name, v.Size, v.Rules.OpenDistance > 0
	}
	return err
}

// bookBoard returns the position of the flags, in which there must be a move to find; it is of
// the book's rule and size unless they say another.
func bookBoard(cmd *cobra.Command, b *book.Book, f *positionFlags) (*gomoku.Board, games.Variant, error) {
	if err := f.settleBook(b); err != nil {
		return nil, games.Variant{}, err
	}
	v, pos, err := f.undecided(cmd)
	if err != nil {
		return nil, v, err
	}
	board, ok := pos.(*gomoku.Board)
	if !ok {
		return nil, v, usagef("--game %s: books hold positions of gomoku", f.opts.Game)
	}
	return board, v, nil
}

func newBookShow() *cobra.Command {
	return onBook(&cobra.Command{
		Use:     "show FILE",
		Short:   "Say what is in a book",
		Long:    `Say of which rules and sizes a book is, and how much there is of each.`,
		Example: "  carozero book show caro.book",
	}, readBook, func(_ *cobra.Command, b *book.Book, _ []string) (report.Report, error) {
		return report.NewBook(b)
	})
}

func newBookVerify() *cobra.Command {
	// damage returns err, as what the check has found if a book is damaged.
	damage := func(err error, path string) error {
		if errors.Is(err, book.ErrDamaged) {
			return found(true, "%s%v", path, err)
		}
		return err
	}
	return onBook(&cobra.Command{
		Use:   "verify FILE",
		Short: "Read all of a book and check it, certificates included",
		Long: `Read all of a book and check it: the file, the positions and their keys, the bounds
of what is said of them, and every certificate by the rules.
The exit status is 3 if the book is damaged.`,
		Example: "  carozero book verify caro.book",
	}, func(path string) (*book.Book, error) {
		b, err := readBook(path)
		return b, damage(err, "")
	}, func(cmd *cobra.Command, b *book.Book, args []string) (report.Report, error) {
		bar := newProgress(-1, "positions")
		defer bar.Close()
		sum, err := b.Verify(cmd.Context(), func(int) { bar.step() })
		if err != nil {
			return nil, damage(interrupted(err, "%d positions were looked at", sum.Positions), args[0]+": ")
		}
		r, err := report.NewBook(b)
		r.Done = &sum
		return r, err
	})
}

func newBookBuild() *cobra.Command {
	var (
		position        positionFlags
		author          authorFlag
		net             netFlags
		o               = book.DefaultBuild
		mcts, alphaBeta string
		workers         int
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
	}
	position.register(cmd)
	author.register(cmd)
	net.registerRuntime(cmd)
	addNum(cmd, &o.Expansions, option.Count.Named("expansions").
		With(0, "positions below the first that are expanded, in all (required)").ZeroMeans(""))
	needs(cmd, "expansions", "how many positions are to be expanded, in all")
	cmd.Flags().StringVar(&mcts, "mcts", "playouts=400", "the tree search, as a player of match")
	cmd.Flags().StringVar(&alphaBeta, "alphabeta", "nodes=20000", "the classical search, as a player of match")
	addNum(cmd, &o.Width, option.Count.Named("width").With(int64(o.Width),
		"most moves of a position that an engine proposes"))
	addNum(cmd, &o.Near, option.Float{
		Key: "near", Help: "how much worse than its best move a move may be that an engine proposes, of values from -1 to 1",
		Default: o.Near, Min: 0.001, Max: 2,
	})
	addNum(cmd, &o.Penalty, option.Float{
		Key: "penalty", Help: "what a move costs on the way to a position, besides the loss of value; more makes books wider",
		Default: o.Penalty, Min: 0.0001, Max: 2,
	})
	addNum(cmd, &o.Differ, option.Float{
		Key: "differ", Help: "difference of the engines' values beyond which they are asked deeper",
		Default: o.Differ, Min: 0.001, Max: 2,
	})
	addNum(cmd, &o.Deeper, option.Deeper.With(o.Deeper, "how many times as much both engines get where they differ"))
	addNum(cmd, &workers, option.Workers.With(int64(runtime.NumCPU()), "positions at once; changes nothing in the book"))

	build := func(cmd *cobra.Command, b *book.Book) (sum book.Built, err error) {
		setup, err := crosscheck.ParseSetup(mcts, alphaBeta)
		if err != nil {
			return sum, asUsage(fmt.Errorf("--%w", err))
		}
		o.Stamp = author.stamp()
		root, v, err := bookBoard(cmd, b, &position)
		if err != nil {
			return sum, err
		}
		perWorker := setup.Bytes(v, int(o.Deeper))
		if err := checkMemory(need{fmt.Sprintf("--workers %d", workers), perWorker, workers}); err != nil {
			return sum, err
		}
		net.model = setup.Model
		opened, err := net.open(v)
		if err != nil {
			return sum, err
		}
		defer opened.Close()
		o.Root, o.Playouts, o.Nodes = root, int64(setup.Playouts), int64(setup.Nodes)
		o.Sources = [2]book.Source{
			{Engine: "mcts", Network: opened.Name, Build: version},
			{Engine: "alphabeta", Build: version},
		}
		builder := setup.Builder(opened, 0, nil)
		bar := newProgress(o.Expansions, "positions expanded")
		defer bar.Close()
		return book.Build(cmd.Context(), b, o, book.BuildHost{
			Workers: workers,
			Judges: func() (book.Judges, error) {
				e, err := builder()
				return book.Judges{e.MCTS, e.AlphaBeta}, err
			},
			Progress: func(expanded int) { _ = bar.Set(expanded) },
		})
	}
	return onBook(cmd, makeBook, func(cmd *cobra.Command, b *book.Book, args []string) (report.Report, error) {
		sum, err := build(cmd, b)
		if list, listErr := b.Variants(); err != nil && listErr == nil && len(list) == 0 {
			return nil, errors.Join(err, os.Remove(args[0])) // it was made for nothing
		}
		if err != nil {
			return nil, interrupted(err, "%d positions are expanded, and in the book; %s", sum.Expanded, goOn(cmd))
		}
		r, err := report.NewBook(b)
		r.Build = &sum
		return r, err
	})
}

func newBookProve() *cobra.Command {
	var (
		position positionFlags
		author   authorFlag
		o        book.ProveOptions
		fours    int
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
	}
	position.register(cmd)
	author.register(cmd)
	addNum(cmd, &o.Proofs, option.Count.Named("proofs").With(1000, "positions that are to be proven, in all"))
	addNum(cmd, &o.Nodes, option.Nodes.With(5_000_000, "most moves that the search for one win plays"))
	addNum(cmd, &fours, option.Nodes.Named("fours").With(1000, "moves within which a win by fours leaves a position out"))
	addNum(cmd, &o.Near, option.Float{
		Key: "near", Help: "how much worse than the best each move on the way may be, of values from -1 to 1",
		Default: 0.1, Min: 0.001, Max: 2,
	})
	addNum(cmd, &o.Least, option.Float{
		Key: "least", Help: "value for the side to move from which a win is looked for", Default: 0.3, Min: -1, Max: 1,
	})
	return onBook(cmd, writeBook, func(cmd *cobra.Command, b *book.Book, args []string) (report.Report, error) {
		root, v, err := bookBoard(cmd, b, &position)
		if err != nil {
			return nil, err
		}
		bar := newProgress(o.Proofs, "positions proven")
		defer bar.Close()
		o.Stamp, o.Root, o.Build, o.Progress = author.stamp(), root, version, func(proven int) { _ = bar.Set(proven) }
		sum, err := book.Prove(cmd.Context(), b, o, book.NewProvers(v, fours))
		if err != nil {
			return nil, interrupted(err, "%d positions are proven, and in the book; %s", sum.Proven, goOn(cmd))
		}
		r, err := report.NewBook(b)
		r.Proved = &sum
		return r, err
	})
}

func newBookQuery() *cobra.Command {
	var position positionFlags
	cmd := &cobra.Command{
		Use:   "query FILE",
		Short: "Say what a book says of a position, and of the moves there",
		Long: `Say what a book says of a position, and of each move there that the book knows, the
best first. Values are of the side to move in the position that was asked about.
Symmetries and transpositions are one position.`,
		Example: `  carozero book query caro.book --position h8
  carozero book query caro.book --position h8i9 --json`,
	}
	position.register(cmd)
	return onBook(cmd, readBook, func(cmd *cobra.Command, b *book.Book, _ []string) (report.Report, error) {
		pos, _, err := bookBoard(cmd, b, &position)
		if err != nil {
			return nil, err
		}
		view, err := b.View(pos, gomoku.Notation{Size: pos.Size()})
		if err != nil {
			return nil, about(b.Path(), err)
		}
		return &report.BookQuery{
			Rule: pos.Rules().Name, Size: pos.Size(), ToMove: pos.ToMove().String(), View: view,
		}, nil
	})
}
