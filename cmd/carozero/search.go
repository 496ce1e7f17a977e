package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/internal/search"
	"github.com/carozero/carozero/nn"
)

// newSearch returns the command "search".
func newSearch() *cobra.Command {
	var s searchCommand
	cmd := &cobra.Command{
		Use:   "search",
		Short: "Search one position and show the principal variation and the root's children",
		Long: `Search one position and show the move, its value, the principal variation and
the moves that were weighed. In JSON, value is what the chosen move is worth and
root_q the mean of all playouts; both are in -1..1 for the side to move.

With --engine alphabeta the budget is --nodes, --depth or --time, whichever
ends first; a table of the iterations is shown as they are completed if
standard error is a terminal, and with the result otherwise. A win or loss that
this engine claims in n plies is called proven only if it was replayed through
the rules against every defence.

--certificate writes a file that proves the win or loss that was found to anybody who
knows the rules ("certificate check"). The solvers look for that proof anew; without
one no file is written.`,
		Example: `  carozero search --position h8i9i8 --playouts 800
  carozero search --engine alphabeta --position h8i9i8 --depth 12 --lines 3
  carozero search --rule renju --board position.txt --json
  carozero search --position h8a1i8a3j8a15 --certificate win.cert
  carozero search --game onitama --model uniform --playouts 20000`,
		Args: noArgs,
		RunE: s.run,
	}
	s.net.register(cmd)
	s.search.register(cmd, 800, rootSolver)
	s.classical.register(cmd)
	s.classical.registerLines(cmd)
	s.position.register(cmd)
	s.output.register(cmd)
	s.engine.register(cmd, "what searches", engineMCTS)
	s.endgames.register(cmd)
	cmd.Flags().StringVar(&s.certificate, "certificate", "", "file to write the certificate of a won or lost position to")
	addNum(cmd, &s.limit, option.Time.With(0,
		"stop after this time, as in 2s, even if the budget is not spent; not reproducible"))
	return cmd
}

// searchCommand holds the flags of the command "search".
type searchCommand struct {
	net       netFlags
	search    searchFlags
	classical classicalFlags
	position  positionFlags
	output    outputFlags
	engine    engineFlag
	limit     time.Duration
	endgames  endgamesFlag

	certificate string // file
}

// run checks everything before it loads anything.
func (s *searchCommand) run(cmd *cobra.Command, _ []string) error {
	if err := s.engine.check(cmd); err != nil {
		return err
	}
	v, pos, err := s.position.open(cmd)
	if err != nil {
		return err
	}
	if s.certificate != "" {
		if err := checkCertificateFile("--certificate", s.certificate); err != nil {
			return err
		}
	}
	solved, err := s.endgames.openFor(cmd, v, pos)
	if err != nil {
		return err
	}
	s.classical.endgames, s.search.settings.Endgames = solved, solved
	if s.engine.name == engineAlphaBeta {
		err = s.runAlphaBeta(cmd, v, pos)
	} else {
		err = s.runTree(cmd, v, pos)
	}
	return s.endgames.close(err)
}

// runTree searches with the tree.
func (s *searchCommand) runTree(cmd *cobra.Command, v games.Variant, pos game.Position) error {
	if err := s.search.check(v); err != nil {
		return err
	}
	n, err := s.net.open(v)
	if err != nil {
		return err
	}
	defer n.Close()
	tree, err := search.NewTree(n, s.search.tree())
	if err != nil {
		return err
	}
	if s.limit > 0 {
		if err := tree.Prepare(); err != nil {
			return err
		}
	}
	limits := engine.Limits{Nodes: int64(s.search.playouts), Clock: engine.Clock{Turn: s.limit}}
	a, err := engine.Complete(cmd.Context(), tree, pos, limits)
	if err != nil {
		return unsearched(err)
	}
	r := report.NewTree(n, pos, a)
	r.Position, r.Board = s.position.shown(v, pos)
	if r.Certificate, err = s.certify(cmd, v, pos, a.Proof); err != nil {
		return s.output.printAfter(cmd, err, r)
	}
	return s.output.print(cmd, r)
}

// unsearched is the error of a search that an interrupt may have ended.
func unsearched(err error) error {
	return interrupted(err, "the search was not done and has no result; --time bounds one")
}

// certifyNodes bounds the solver that looks for a win by fours in the place of
// one that the search only claims.
const certifyNodes = 200_000

func (s *searchCommand) runAlphaBeta(cmd *cobra.Command, v games.Variant, pos game.Position) error {
	limits := s.classical.limits(s.limit)
	e, err := s.classical.open(v, s.net.threads, search.Level{})
	if err != nil {
		return err
	}
	table := report.NewIterations(cmd.ErrOrStderr(), v.Notation(), isTerminal(cmd.ErrOrStderr()))
	limits.Report = table.Add
	a, err := engine.Complete(cmd.Context(), e, pos, limits)
	table.Flush()
	if err != nil {
		return unsearched(err)
	}
	r := report.NewClassical(v, pos, a, table)
	if a.Proof.Result == game.Won {
		if c, ok := v.Certify(cmd.Context(), pos, certifyNodes); ok {
			r.Prove(v.Notation(), c)
		}
	}
	if err := cmd.Context().Err(); err != nil {
		return unsearched(err) // the search was done, the proof of its claim may not be
	}
	r.Position, r.Board = s.position.shown(v, pos)
	if r.Certificate, err = s.certify(cmd, v, pos, a.Proof); err != nil {
		return s.output.printAfter(cmd, err, r)
	}
	return s.output.print(cmd, r)
}

// certify writes the certificate of what a search has found, proven or claimed, if that
// was asked for. It says so where there is nothing to write.
func (s *searchCommand) certify(cmd *cobra.Command, v games.Variant, pos game.Position,
	p game.Proof) (*report.Certificate, error) {
	if s.certificate == "" {
		return nil, nil
	}
	winner := pos.ToMove()
	switch p.Result {
	case game.Won:
	case game.Lost:
		winner = winner.Other()
	default:
		fmt.Fprintf(cmd.ErrOrStderr(), "carozero: %s was not written: neither a win nor a loss was found\n",
			oneLine(s.certificate))
		return nil, nil
	}
	c, err := writeWinCertificate(cmd.Context(), s.certificate, v, pos, winner)
	if err != nil {
		err = fmt.Errorf("--certificate: nothing was written: %w", err)
	}
	return c, interrupted(err, "the search was done, and no certificate was written")
}

// searchFlags are the settings of one MCTS search.
type searchFlags struct {
	playouts int
	settings search.TreeSettings
	seed     uint64
}

// rootSolver is the budget of the solver at the root for a search of a single position. It
// finds all wins of the tactical suite.
const rootSolver = 60_000

// singleSettings are the settings of a search that is no game's of self-play: it has no noise.
var singleSettings = option.Without(search.TreeSettingsList, "noise-total", "noise-share")

// register adds the flags with the defaults of a command.
func (f *searchFlags) register(cmd *cobra.Command, playouts, root int) {
	f.settings = search.DefaultTreeSettings(int(option.TreeMemory.Default))
	f.settings.Solvers.Root = root
	addNum(cmd, &f.playouts, option.Playouts.With(int64(playouts), "playouts of a search"))
	addSettings(cmd, singleSettings, &f.settings, "")
	addNum(cmd, &f.seed, option.RandomSeed)
}

// check refuses a search that there is no memory for.
func (f *searchFlags) check(v games.Variant) error {
	var m option.Memory
	m.Add(fmt.Sprintf("--memory %d", f.settings.MemoryMiB()), f.settings.Bytes(v, f.playouts))
	return checkMemory(&m)
}

// checkTree refuses a tree that there is no memory for, in searches that may
// fill it; the default is never refused.
func (f *searchFlags) checkTree() error {
	if int64(f.settings.MemoryMiB()) <= option.TreeMemory.Default {
		return nil
	}
	var m option.Memory
	m.Add(fmt.Sprintf("--memory %d", f.settings.MemoryMiB()), f.settings.Search.Memory)
	return checkMemory(&m)
}

// tree returns what the flags say of a tree search.
func (f *searchFlags) tree() search.TreeOptions {
	return f.settings.Options(nn.EvaluatorOptions{Seed: f.seed})
}

// classicalFlags are the settings of one classical search.
type classicalFlags struct {
	nodes               int64
	depth, table, lines int
	net                 string
	techniques          techniquesFlag
	endgames            games.Endgames // nil: none
}

// Defaults of a classical search.
const (
	defaultNodes    = 1_000_000
	defaultTableMiB = 64
)

// register adds the flags that every command with a classical search has.
func (f *classicalFlags) register(cmd *cobra.Command) {
	addNum(cmd, &f.nodes, option.Nodes.With(0,
		"alphabeta: moves that the search plays at most; 1000000 where nothing else bounds it"))
	addNum(cmd, &f.depth, option.Depth.With(0, "alphabeta: last iteration, in plies"))
	cmd.Flags().StringVar(&f.net, "net", "",
		"alphabeta: line network that judges positions: a shipped name, a path, or none for the fitted evaluation; by "+
			"default the shipped one where it is stronger")
	addNum(cmd, &f.table, option.Table.With(defaultTableMiB, "alphabeta: size of the transposition table"))
	f.techniques.register(cmd)
}

// registerLines adds the flag of commands that show several moves.
func (f *classicalFlags) registerLines(cmd *cobra.Command) {
	addNum(cmd, &f.lines, option.Lines.With(1, "alphabeta: best moves to show, each with its line"))
}

// limits returns what bounds the search, time included.
func (f *classicalFlags) limits(limit time.Duration) engine.Limits {
	if f.nodes == 0 && f.depth == 0 && limit == 0 {
		f.nodes = defaultNodes
	}
	return engine.Limits{Nodes: f.nodes, Depth: f.depth, Lines: f.lines, Clock: engine.Clock{Turn: limit}}
}

// check refuses more threads than a classical search has, and what there is no
// memory for.
func (f *classicalFlags) check(threads int) error {
	if threads > players.MaxThreads {
		return usagef("--threads %d: want %s with --engine %s", threads, option.SearchThreads.Range(), engineAlphaBeta)
	}
	var m option.Memory
	m.Add(fmt.Sprintf("--table %d, --threads %d", f.table, max(threads, 1)),
		games.ClassicalBytes(max(threads, 1), f.table))
	return checkMemory(&m)
}

// options returns the search as the flags describe it.
func (f *classicalFlags) options(threads int, level search.Level) (search.ClassicalOptions, error) {
	o := search.ClassicalOptions{Search: alphabeta.Options{Threads: threads, TableMiB: f.table}, Level: level,
		Endgames: f.endgames}
	err := f.check(threads)
	if err == nil {
		err = f.techniques.set(&o.Search)
	}
	if err == nil {
		if o.Weights, o.Judge, err = networks.Judge(f.net); err != nil {
			err = fmt.Errorf("--net: %w", err)
		}
	}
	return o, err
}

// open sets up the search, so that no time of a move goes into that.
func (f *classicalFlags) open(v games.Variant, threads int, level search.Level) (*search.Classical, error) {
	o, err := f.options(threads, level)
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

// levelFlag chooses a strength of play.
type levelFlag struct{ name string }

func (f *levelFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "level", "",
		"alphabeta: strength, each a fixed number of nodes a move: "+strings.Join(search.LevelNames(), ", "))
	complete(cmd, "level", search.LevelNames()...)
}

// level returns the level, the zero Level without one. It excludes other
// budgets.
func (f *levelFlag) level(cmd *cobra.Command) (search.Level, error) {
	if f.name == "" {
		return search.Level{}, nil
	}
	for _, other := range []string{"nodes", "depth", "time"} {
		if cmd.Flags().Changed(other) {
			return search.Level{}, usagef("--level has a budget of its own: leave out --%s", other)
		}
	}
	level, err := search.ParseLevel(f.name)
	if err != nil {
		return level, usagef("--level: %w", err)
	}
	return level, nil
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
	seen := map[string]bool{}
	for _, item := range strings.Split(f.list, ",") {
		key, _, _ := strings.Cut(item, "=")
		if seen[key] {
			return usagef("--techniques %s: %s is there twice", shownValue(f.list), key)
		}
		seen[key] = true
	}
	if err := search.SetTechniques(o, f.list); err != nil {
		return usagef("--techniques: %w", err)
	}
	return nil
}

// newForbidden returns the command "forbidden".
func newForbidden() *cobra.Command {
	var (
		position positionFlags
		output   outputFlags
	)
	cmd := &cobra.Command{
		Use:   "forbidden",
		Short: "Show the empty points that the side to move may not play",
		Long: `Show the empty points that the side to move may not play: renju's overlines,
double-fours and double-threes, school42's double free-threes, and what
--open-rule closes; each with its kind: overline, double-four, double-three,
free-three (two at once) or open-rule. Where a point is of several, JSON has the gravest,
which come in this order, as kind and the rest as also.`,
		Example: `  carozero forbidden --rule renju --position h8h9i7i9h10i6i11i12`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, pos, err := position.read(cmd)
			if err != nil {
				return err
			}
			if v.Lines() == nil {
				return usagef("--game %s: only gomoku has forbidden points", v.Game)
			}
			return output.print(cmd, report.NewForbidden(v, pos))
		},
	}
	position.register(cmd)
	output.register(cmd)
	return cmd
}

// newPerft returns the command "perft".
func newPerft() *cobra.Command {
	var (
		position positionFlags
		output   outputFlags
		depth    int
		divide   bool
	)
	cmd := &cobra.Command{
		Use:   "perft --depth N",
		Short: "Count the move sequences of a depth, to check the rules",
		Long: `Count the sequences of exactly --depth legal moves from a position, to compare
with another program's. Games that are over before that are not expanded and
count nothing; a pass of Onitama is a move. Moves of the last ply are counted
without being played. A node is a move that was played.`,
		Example: `  carozero perft --rule renju --position h8h9i7i9 --depth 3
  carozero perft --game onitama --position Ox,Boar/Horse,Elephant/Crab --depth 6
  carozero perft --board position.txt --depth 2 --divide`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if depth == 0 {
				return usagef("--depth: want %s", option.PerftDepth.Range())
			}
			v, pos, err := position.read(cmd)
			if err != nil {
				return err
			}
			count, err := countLeaves(cmd.Context(), pos, depth)
			if err != nil {
				return interrupted(err, "%d leaves were counted behind the first %d of %d moves; nothing is kept",
					count.Leaves, len(count.Branches), len(pos.Moves(nil)))
			}
			r := report.NewPerft(v, pos, depth, &count)
			r.Position, r.Board = position.shown(v, pos)
			if !divide {
				r.Branches = nil
			}
			return output.print(cmd, r)
		},
	}
	position.register(cmd)
	output.register(cmd)
	addNum(cmd, &depth, option.PerftDepth)
	cmd.Flags().BoolVar(&divide, "divide", false, "show the count behind each move, too")
	return cmd
}

// countLeaves counts with a bar that moves with each first move.
func countLeaves(ctx context.Context, pos game.Position, depth int) (game.PerftResult, error) {
	bar := newProgress(len(pos.Moves(nil)), "moves")
	defer bar.Close()
	return game.Perft(ctx, pos, depth, game.PerftOptions{
		Clock: time.Now, Branch: func(game.PerftBranch) { bar.step() },
	})
}
