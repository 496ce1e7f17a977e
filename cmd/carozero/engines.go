package main

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/search"
	"github.com/carozero/carozero/nn"
)

// The engines that --engine chooses from.
const (
	engineMCTS      = "mcts"
	engineAlphaBeta = "alphabeta"
)

// Defaults of a search of a single position.
const (
	defaultNodes    = 1_000_000
	defaultTableMiB = 64
	rootSolver      = 60_000 // of the tree search; finds all wins of the tactical suite
)

// singleSettings are the settings of a tree search that is no game's of self-play: without noise.
var singleSettings = option.Without(search.TreeSettingsList, "noise-total", "noise-share")

// Flags that only one of the engines has.
var (
	mctsFlags      = append([]string{"model", "onnxruntime", "provider", "device", "playouts"}, option.Keys(singleSettings)...)
	alphaBetaFlags = []string{"nodes", "depth", "table", "lines", "level", "net", "techniques"}
)

// engineFlags choose an engine and its settings.
type engineFlags struct {
	netFlags
	name     string
	level    string // of play, "": none
	seed     uint64
	endgames endgamesFlag

	playouts int // of mcts
	tree     search.TreeSettings

	nodes               int64 // of alphabeta
	depth, table, lines int
	judge               string // the line network
	techniques          techniquesFlag
}

// register declares the flags: what the engine does, the one where none is named, and the
// defaults of its tree search.
func (f *engineFlags) register(cmd *cobra.Command, what, usual string, playouts, root int) {
	f.netFlags.register(cmd)
	addWord(cmd, &f.name, "engine", usual, what+": mcts (network and tree search) or alphabeta (classical search)",
		engineMCTS, engineAlphaBeta)
	addNum(cmd, &f.seed, option.RandomSeed)
	f.tree = search.DefaultTreeSettings(int(option.TreeMemory.Default))
	f.tree.Solvers.Root = root
	addNum(cmd, &f.playouts, option.Playouts.With(int64(playouts), "playouts of a search"))
	addSettings(cmd, singleSettings, &f.tree, "")
	addNum(cmd, &f.nodes, option.Nodes.With(0,
		"alphabeta: moves that the search plays at most; 1000000 where nothing else bounds it"))
	addNum(cmd, &f.depth, option.Depth.With(0, "alphabeta: last iteration, in plies"))
	cmd.Flags().StringVar(&f.judge, "net", "",
		"alphabeta: line network that judges positions: a shipped name, a path, or none for the fitted evaluation; by "+
			"default the shipped one where it is stronger")
	addNum(cmd, &f.table, option.Table.With(defaultTableMiB, "alphabeta: size of the transposition table"))
	f.techniques.register(cmd)
	tree := func() bool { f.settle(cmd); return f.name == engineMCTS }
	goesWith(cmd, "--engine mcts", tree, mctsFlags...)
	goesWith(cmd, "--engine alphabeta", func() bool { return !tree() }, alphaBetaFlags...)
	goesWith(cmd, "--engine mcts or --level", func() bool { return tree() || f.level != "" }, "seed")
	goesWith(cmd, "an engine without --level, which has a budget of its own", func() bool { return f.level == "" },
		"nodes", "depth", "time")
	goesWith(cmd, "an engine without --level, which knows none", func() bool { return f.level == "" }, "bitbase")
}

// settle lets a level alone choose the engine that has levels.
func (f *engineFlags) settle(cmd *cobra.Command) {
	if f.level != "" && !cmd.Flags().Changed("engine") {
		f.name = engineAlphaBeta
	}
}

// registerLevel declares the flag of commands that play.
func (f *engineFlags) registerLevel(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.level, "level", "",
		"alphabeta: strength, each a fixed number of nodes a move: "+strings.Join(search.LevelNames(), ", "))
	complete(cmd, "level", search.LevelNames()...)
}

// checkTree refuses a tree search of so many bytes, unless there is the memory.
func (f *engineFlags) checkTree(bytes int64) error {
	return checkMemory(need{fmt.Sprintf("--memory %d", f.tree.MemoryMiB()), bytes, 1})
}

// openTree loads the network and sets up the tree search, for a budget of so many playouts,
// 0 for any. The caller closes both.
func (f *engineFlags) openTree(v games.Variant, playouts int) (*networks.Net, *search.Tree, error) {
	if err := f.checkTree(f.tree.Bytes(v, playouts)); err != nil {
		return nil, nil, err
	}
	n, err := f.open(v)
	if err != nil {
		return nil, nil, err
	}
	tree, err := search.NewTree(n, f.treeOptions())
	if err != nil {
		return nil, nil, errors.Join(err, n.Close())
	}
	return n, tree, nil
}

// treeOptions returns what the flags say of a tree search.
func (f *engineFlags) treeOptions() search.TreeOptions {
	return f.tree.Options(nn.EvaluatorOptions{Seed: f.seed})
}

// limits returns what bounds the classical search, time included.
func (f *engineFlags) limits(limit time.Duration) engine.Limits {
	if f.nodes == 0 && f.depth == 0 && limit == 0 {
		f.nodes = defaultNodes
	}
	return engine.Limits{Nodes: f.nodes, Depth: f.depth, Lines: f.lines, Clock: engine.Clock{Turn: limit}}
}

// classical returns the classical search as the flags describe it, at a level unless that is
// "". A level knows no endgames, or it would be stronger than its name says.
func (f *engineFlags) classical(level string) (o search.ClassicalOptions, err error) {
	if f.threads > players.MaxThreads {
		return o, usagef("--threads %d: want %s with --engine %s", f.threads, option.SearchThreads.Range(), engineAlphaBeta)
	}
	threads := max(f.threads, 1)
	if err := checkMemory(need{
		fmt.Sprintf("--table %d, --threads %d", f.table, threads), games.ClassicalBytes(threads, f.table), 1,
	}); err != nil {
		return o, err
	}
	o.Search = alphabeta.Options{Threads: f.threads, TableMiB: f.table}
	if err := f.techniques.set(&o.Search); err != nil {
		return o, err
	}
	if o.Weights, o.Judge, err = networks.Judge(f.judge); err != nil {
		return o, fmt.Errorf("--net: %w", err)
	}
	o.Endgames = f.endgames.solved
	if level != "" {
		o.Endgames = nil
		if o.Level, err = search.ParseLevel(level); err != nil {
			return o, usagef("--level: %w", err)
		}
	}
	return o, nil
}

// openClassical sets up the classical search, so that no time of a move goes into that.
func (f *engineFlags) openClassical(v games.Variant, level string) (*search.Classical, error) {
	o, err := f.classical(level)
	if err != nil {
		return nil, err
	}
	c, err := search.NewClassical(v, o)
	if err == nil {
		err = c.Prepare()
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// techniquesFlag switches techniques of the classical search.
type techniquesFlag struct{ list string }

func (f *techniquesFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.list, "techniques", "",
		"alphabeta: techniques to switch off or to set, as in rfp=off,lmr=80; 'carozero match --help' lists them")
}

// set puts what the flag says into the options of a search.
func (f *techniquesFlag) set(o *alphabeta.Options) error {
	if f.list == "" {
		return nil
	}
	if err := search.SetTechniques(o, f.list); err != nil {
		return usagef("--techniques: %w", err)
	}
	return nil
}

// endgamesFlag names a file of solved endgames for the searches of a command.
type endgamesFlag struct {
	file   string
	solved games.Endgames // nil before the file is opened, and without one
}

func (f *endgamesFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "bitbase", "",
		"file of solved endgames of Onitama, from 'carozero bitbase', that the search knows")
}

// open opens the file, if one is named. Where a search begins at pos, its cards must be those
// of the endgames; nil stands for positions that are not known yet, of any game where v is the
// zero Variant: the endgames are asked where they suit.
func (f *endgamesFlag) open(cmd *cobra.Command, v games.Variant, pos game.Position) (err error) {
	switch {
	case f.file == "":
		return nil
	case pos == nil && v.Game == "":
		f.solved, err = games.OpenEndgames(cmd.Context(), f.file)
	default:
		f.solved, err = v.OpenEndgames(cmd.Context(), f.file)
	}
	if errors.Is(err, games.ErrNoEndgames) {
		return usagef("--bitbase: %w", err)
	} else if err != nil {
		return interrupted(fmt.Errorf("--bitbase: %w", err), "nothing was searched")
	}
	if pos != nil {
		if err := f.solved.Suits(pos); err != nil {
			return f.close(usagef("--bitbase: %w", err))
		}
	}
	return nil
}

// close closes the file and adds to err what went wrong in reading it.
func (f *endgamesFlag) close(err error) error {
	if f.solved == nil {
		return err
	}
	solved := f.solved
	f.solved = nil
	return errors.Join(err, solved.Close())
}

// readBooks lets players have opening books.
var readBooks = sync.OnceFunc(func() {
	players.OpenBook = func(v games.Variant, path string) (players.Book, error) {
		rules, ok := v.Gomoku()
		if !ok {
			return nil, fmt.Errorf("book=%s: books hold positions of gomoku", path)
		}
		b, err := book.Open(path, book.ReadOnly)
		if err != nil {
			return nil, fmt.Errorf("book: %w", err)
		}
		if err := b.Covers(book.Variant{Rules: rules, Size: v.Size}); err != nil {
			return nil, errors.Join(fmt.Errorf("book=%s: %w", path, err), b.Close())
		}
		return b, nil
	}
})

// bookFlag names an opening book that the engine of a command plays from first.
type bookFlag struct {
	file string
	mode book.Mode  // that it is opened for
	book *book.Book // nil: none

	inner engine.Engine // that was given a book last
	outer engine.Engine
}

func (f *bookFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "book", "",
		"opening book to play from first, for games of its rules and size; see the command book")
}

// open opens the book, if one is named.
func (f *bookFlag) open() (err error) {
	if f.file != "" {
		if f.book, err = book.Open(f.file, f.mode); err != nil {
			return fmt.Errorf("--book %w", err)
		}
	}
	return nil
}

// close frees the book.
func (f *bookFlag) close() {
	if f.book != nil {
		_ = f.book.Close() // what was written is on the disk since
	}
}

// covers returns an error unless the book has positions of a variant; nil without a book.
func (f *bookFlag) covers(v games.Variant) error {
	if f.book == nil {
		return nil
	}
	rules, ok := v.Gomoku()
	if !ok {
		return usagef("--book goes with gomoku, not with %s", v.Game)
	}
	if err := f.book.Covers(book.Variant{Rules: rules, Size: v.Size}); err != nil {
		return fmt.Errorf("--book %s: %w", f.file, err)
	}
	return nil
}

// before returns an engine that plays from the book first, where the book covers the
// variant.
func (f *bookFlag) before(e engine.Engine, v games.Variant) engine.Engine {
	if f.book == nil || f.covers(v) != nil {
		return e
	}
	if e != f.inner {
		f.inner, f.outer = e, f.book.Before(e)
	}
	return f.outer
}
