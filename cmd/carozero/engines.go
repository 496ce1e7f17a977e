package main

import (
	"errors"
	"fmt"
	"strings"
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

// engineFlags choose an engine and its settings.
type engineFlags struct {
	netFlags
	name     string
	level    string // of play, "": none
	seed     uint64
	endgames endgamesFlag

	playouts int // of mcts
	tree     engine.TreeSettings

	limits engine.Limits     // of alphabeta, without its time
	search alphabeta.Options // without its threads
	judge  string            // the line network
}

// register declares the flags: what the engine does, the one where none is named, and the
// defaults of its tree search.
func (f *engineFlags) register(cmd *cobra.Command, what, usual string, playouts, root int) {
	f.netFlags.register(cmd)
	addWord(cmd, &f.name, "engine", usual, what+": mcts (network and tree search) or alphabeta (classical search)",
		engineMCTS, engineAlphaBeta)
	addNum(cmd, &f.seed, option.RandomSeed)
	f.tree = engine.DefaultTreeSettings(int(option.TreeMemory.Default))
	f.tree.Solvers.Root = root
	addNum(cmd, &f.playouts, option.Playouts.With(int64(playouts), "playouts of a search"))
	settings := option.Without(engine.TreeSettingsList, "noise-total", "noise-share") // noise is of games of self-play
	addSettings(cmd, settings, &f.tree, "")
	addNum(cmd, &f.limits.Nodes, option.Nodes.With(0,
		"alphabeta: moves that the search plays at most; 1000000 where nothing else bounds it"))
	addNum(cmd, &f.limits.Depth, option.Depth.With(0, "alphabeta: last iteration, in plies"))
	cmd.Flags().StringVar(&f.judge, "net", "",
		"alphabeta: line network that judges positions: a shipped name, a path, or none for the fitted evaluation; by "+
			"default the shipped one where it is stronger")
	addNum(cmd, &f.search.TableMiB, option.Table.With(defaultTableMiB, "alphabeta: size of the transposition table"))
	addTechniques(cmd, &f.search)
	before(cmd, func() error {
		if f.level != "" && !cmd.Flags().Changed("engine") { // a level alone chooses the engine that has levels
			f.name = engineAlphaBeta
		}
		return nil
	})
	tree := func() bool { return f.name == engineMCTS }
	goesWith(cmd, "--engine mcts", tree,
		append(option.Keys(settings), "model", "onnxruntime", "provider", "device", "playouts")...)
	goesWith(cmd, "--engine alphabeta", func() bool { return !tree() },
		"nodes", "depth", "table", "lines", "level", "net", "techniques")
	goesWith(cmd, "--engine mcts or --level", func() bool { return tree() || f.level != "" }, "seed")
	goesWith(cmd, "an engine without --level, which has a budget of its own and knows no endgames",
		func() bool { return f.level == "" }, "nodes", "depth", "time", "bitbase")
}

// registerLevel declares the flag of commands that play.
func (f *engineFlags) registerLevel(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.level, "level", "",
		"alphabeta: strength, each a fixed number of nodes a move: "+strings.Join(engine.LevelNames(), ", "))
	complete(cmd, "level", engine.LevelNames()...)
}

// checkTree refuses a tree search of so many bytes, unless there is the memory.
func (f *engineFlags) checkTree(bytes int64) error {
	return checkMemory(need{fmt.Sprintf("--memory %d", f.tree.MemoryMiB()), bytes, 1})
}

// treeOptions returns what the flags say of a tree search.
func (f *engineFlags) treeOptions() engine.TreeOptions {
	return f.tree.Options(nn.EvaluatorOptions{Seed: f.seed})
}

// openTree loads the network and sets up the tree search, for a budget of so many playouts,
// 0 for any. The caller closes both.
func (f *engineFlags) openTree(v games.Variant, playouts int) (*networks.Net, *engine.Tree, error) {
	if err := f.checkTree(f.tree.Bytes(v, playouts)); err != nil {
		return nil, nil, err
	}
	n, err := f.open(v)
	if err != nil {
		return nil, nil, err
	}
	tree, err := engine.NewTree(n, f.treeOptions())
	if err != nil {
		return nil, nil, errors.Join(err, n.Close())
	}
	return n, tree, nil
}

// within returns what bounds the classical search, with a time for it unless that is 0.
func (f *engineFlags) within(limit time.Duration) engine.Limits {
	l := f.limits
	if l.Nodes == 0 && l.Depth == 0 && limit == 0 {
		l.Nodes = defaultNodes
	}
	l.Clock.Turn = limit
	return l
}

// classical returns the classical search as the flags describe it. A level knows no endgames, or it
// would be stronger than its name says.
func (f *engineFlags) classical() (o engine.ClassicalOptions, err error) {
	if f.threads > players.MaxThreads {
		return o, usagef("--threads %d: want %s with --engine %s", f.threads, option.SearchThreads.Range(), engineAlphaBeta)
	}
	threads, table := max(f.threads, 1), f.search.TableMiB
	if err := checkMemory(need{
		fmt.Sprintf("--table %d, --threads %d", table, threads), games.ClassicalBytes(threads, table), 1,
	}); err != nil {
		return o, err
	}
	o = engine.ClassicalOptions{Search: f.search, Endgames: f.endgames.solved}
	o.Search.Threads = f.threads
	if o.Weights, o.Judge, err = networks.Judge(f.judge); err != nil {
		return o, about("--net", err)
	}
	if f.level != "" {
		o.Endgames = nil
		if o.Level, err = engine.ParseLevel(f.level); err != nil {
			return o, usagef("--level: %w", err)
		}
	}
	return o, nil
}

// openClassical sets up the classical search, so that no time of a move goes into that.
func (f *engineFlags) openClassical(v games.Variant) (*engine.Classical, error) {
	o, err := f.classical()
	if err != nil {
		return nil, err
	}
	c, err := engine.NewClassical(v, o)
	if err != nil {
		return nil, err
	}
	return c, c.Prepare()
}

// addTechniques adds the flag that switches techniques of the classical search.
func addTechniques(cmd *cobra.Command, of *alphabeta.Options) {
	list := ""
	o := option.Text{
		Key: "techniques", Sample: "rfp=off,lmr=80",
		Help: "alphabeta: techniques to switch off or to set, as in rfp=off,lmr=80; 'carozero match --help' lists them",
	}
	set := func(of *alphabeta.Options, text string) error {
		list = text
		return engine.SetTechniques(of, text)
	}
	s := option.Custom(o, set, func(*alphabeta.Options) string { return list })
	cmd.Flags().Var(newOptionFlag(s, of), o.Key, o.Help)
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
	if f.file == "" {
		return nil
	}
	f.solved, err = v.OpenEndgames(cmd.Context(), f.file)
	if errors.Is(err, games.ErrNoEndgames) {
		return usagef("--bitbase: %w", err)
	} else if err != nil {
		return interrupted(about("--bitbase", err), "nothing was searched")
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

// before returns an engine that plays from the book first, where the book covers the
// variant.
func (f *bookFlag) before(e engine.Engine, v games.Variant) engine.Engine {
	if f.book == nil || covers(f.book, v) != nil {
		return e
	}
	if e != f.inner {
		f.inner, f.outer = e, f.book.Before(e)
	}
	return f.outer
}

// covers returns an error unless a book has positions of a variant.
func covers(b *book.Book, v games.Variant) error {
	rules, ok := v.Gomoku()
	if !ok {
		return usagef("books hold positions of gomoku, not of %s", v.Game)
	}
	return b.Covers(book.Variant{Rules: rules, Size: v.Size})
}

// playersBook opens the book of a player of a variant; see [players.OpenBook].
func playersBook(v games.Variant, path string) (players.Book, error) {
	b, err := book.Open(path, book.ReadOnly)
	if err != nil {
		return nil, about("book", err)
	}
	if err := covers(b, v); err != nil {
		return nil, errors.Join(fmt.Errorf("book=%s: %w", path, err), b.Close())
	}
	return b, nil
}
