package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/bench"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/internal/tactics"
)

// positionSearch is an engine and the position that it begins at.
type positionSearch struct {
	engineFlags
	position positionFlags
	limit    time.Duration // of a search; 0: none
}

// read returns the position and opens the endgames, which the caller closes.
func (s *positionSearch) read(cmd *cobra.Command) (games.Variant, game.Position, error) {
	v, pos, err := s.position.undecided(cmd)
	if err == nil {
		err = s.endgames.open(cmd, v, pos)
		s.tree.Endgames = s.endgames.solved
	}
	return v, pos, err
}

// searchCommand is the command "search".
type searchCommand struct{ positionSearch }

// newSearch returns the command "search".
func newSearch() *cobra.Command {
	var s searchCommand
	return define(&cobra.Command{
		Use:   "search",
		Short: "Search one position and show the principal variation and the root's children",
		Long: `Search one position and show the move, its value, the principal variation and
the moves that were weighed. In JSON, value is what the chosen move is worth and
root_q the mean of all playouts; both are in -1..1 for the side to move.

With --engine alphabeta the budget is --nodes, --depth or --time, whichever
ends first; a table of the iterations is shown as they are completed if
standard error is a terminal, and with the result otherwise. A win or loss that
this engine claims in n plies is called proven only if it was replayed through
the rules against every defence.`,
		Example: `  carozero search --position h8i9i8 --playouts 800
  carozero search --engine alphabeta --position h8i9i8 --depth 12 --lines 3`,
	}, s.run, s.position.register, s.endgames.register, s.register)
}

func (s *searchCommand) register(cmd *cobra.Command) {
	s.engineFlags.register(cmd, "what searches", engineMCTS, 800, rootSolver)
	addNum(cmd, &s.limits.Lines, option.Lines.With(1, "alphabeta: best moves to show, each with its line"))
	addNum(cmd, &s.limit, option.Time.With(0,
		"stop after this time, as in 2s, even if the budget is not spent; not reproducible"))
}

// run checks everything before it loads anything.
func (s *searchCommand) run(cmd *cobra.Command, _ []string) (_ report.Report, err error) {
	v, pos, err := s.read(cmd)
	if err != nil {
		return nil, err
	}
	defer func() { err = s.endgames.close(err) }()
	search := s.searchTree
	if s.name == engineAlphaBeta {
		search = s.searchClassical
	}
	r, err := search(cmd, v, pos)
	if err != nil {
		return nil, interrupted(err, "the search was not done and has no result; --time bounds one")
	}
	r.Position, r.Board = s.position.shown(v, pos)
	return r, nil
}

// searchTree searches with the tree.
func (s *searchCommand) searchTree(
	cmd *cobra.Command, v games.Variant, pos game.Position,
) (_ *report.Search, err error) {
	n, tree, err := s.openTree(v, s.playouts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	if s.limit > 0 {
		if err := tree.Prepare(); err != nil {
			return nil, err
		}
	}
	limits := engine.Limits{Nodes: int64(s.playouts), Clock: engine.Clock{Turn: s.limit}}
	a, err := engine.Complete(cmd.Context(), tree, pos, limits)
	if err != nil {
		return nil, err
	}
	return report.NewTree(n, pos, a), nil
}

// certifyNodes bounds the solver that looks for a win by fours in the place of
// one that the search only claims.
const certifyNodes = 200_000

// searchClassical searches with alpha-beta.
func (s *searchCommand) searchClassical(
	cmd *cobra.Command, v games.Variant, pos game.Position,
) (_ *report.Search, err error) {
	e, err := s.openClassical(v)
	if err != nil {
		return nil, err
	}
	table := report.NewIterations(cmd.ErrOrStderr(), v.Notation(), isTerminal(cmd.ErrOrStderr()))
	limits := s.within(s.limit)
	limits.Report = table.Add
	a, err := engine.Complete(cmd.Context(), e, pos, limits)
	table.Flush()
	if err != nil {
		return nil, err
	}
	r := report.NewClassical(v, pos, a, table)
	if a.Proof.Result == game.Won {
		if c, ok := v.Certify(cmd.Context(), pos, certifyNodes); ok {
			r.Prove(v.Notation(), c)
		}
	}
	return r, cmd.Context().Err() // the search was done, the proof of its claim may not be
}

// benchCommand holds the flags of the command "bench".
type benchCommand struct {
	variant variantFlags
	net     netFlags
	opts    bench.Options
}

// newBench returns the command "bench".
func newBench() *cobra.Command {
	var b benchCommand
	return define(&cobra.Command{
		Use:   "bench [PART...]",
		Short: "Measure speed against the raw limit of the same run",
		Long: `Measure the speed of the engine's parts: rules, nn (the network alone), alphabeta,
mcts and selfplay; all of them if none is named. The searches and self-play have no
cache, and raw_evals_per_s is the network alone, timed in turn with them. On a device nn
names the batch to take for --batch, and fill_percent tells how full its batches are.
--model simulated is a device that is not there, simulated:10 one ten times slower. The
signature of alphabeta is the number of nodes to --depth on one thread, the same on
every machine; it changes only with the search itself.`,
		Example: `  carozero bench
  carozero bench nn mcts --model net.onnx --size 19 --threads 2`,
		Args: func(_ *cobra.Command, args []string) error {
			for _, part := range args {
				if !slices.Contains(bench.Parts, part) {
					return usagef("bench: unknown part %s; one of: %s", shownValue(part), strings.Join(bench.Parts, ", "))
				}
			}
			return nil
		},
	}, b.run, b.variant.register, b.net.register, b.register)
}

func (b *benchCommand) register(cmd *cobra.Command) {
	addNum(cmd, &b.opts.Duration, option.Time.Named("duration").With(3*time.Second,
		"rules, nn, selfplay on a device: how long to measure"))
	addNum(cmd, &b.opts.Playouts, option.Playouts.With(400, "mcts, selfplay: playouts of a search").Above(2))
	addNum(cmd, &b.opts.Depth, option.Depth.With(12, "alphabeta: depth of the searches, in plies"))
}

func (b *benchCommand) run(cmd *cobra.Command, parts []string) (report.Report, error) {
	v := b.variant.v
	loader := b.net.loader()
	b.opts.Threads = loader.Threads()
	perThread := bench.LargestBatch*v.RowBytes() + v.TreeBytes(b.opts.Playouts, bench.TreeMiB) +
		games.MaxInFlight*v.RowBytes()
	if err := checkMemory(need{fmt.Sprintf("--threads %d", b.opts.Threads), perThread, b.opts.Threads}); err != nil {
		return nil, err
	}
	b.opts.Open = func() (*networks.Net, error) { return loader.Open(v, b.net.model) }
	r, err := bench.Run(cmd.Context(), v, b.opts, parts...)
	if err != nil {
		return nil, interrupted(err, "a measurement that is cut short is none; nothing is kept")
	}
	return r, nil
}

// tacticsCommand holds the flags of the command "tactics".
type tacticsCommand struct {
	file string
	each bool
	most int // moves of the solvers
}

// newTactics returns the command "tactics".
func newTactics() *cobra.Command {
	var f tacticsCommand
	return define(&cobra.Command{
		Use:   "tactics",
		Short: "Solve the suite of proven positions, per rule set",
		Long: `Solve the suite of positions whose forced wins, or lack of them, are proven, and
show solved problems, nodes and time per rule set, or of each problem. The exit
status is 3 if a problem is not solved as proven.`,
		Example: "  carozero tactics\n  carozero tactics --suite long --each",
	}, f.run, f.register)
}

func (f *tacticsCommand) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.file, "suite", "",
		"file of problems, or long for the long wins that ship with the program (default: the suite that ships with it)")
	addNum(cmd, &f.most, option.Nodes.With(2_000_000, "most moves that the solver plays on a problem"))
	fs.BoolVar(&f.each, "each", false, "show every problem in a row of its own")
}

func (f *tacticsCommand) run(cmd *cobra.Command, _ []string) (report.Report, error) {
	problems, err := readTactics(f.file)
	if err != nil {
		return nil, err
	}
	scores, answers, err := tactics.Run(cmd.Context(), problems, f.most, time.Now)
	if err != nil {
		return nil, interrupted(err, "a part of the suite says nothing; nothing is kept")
	}
	r := report.NewTactics(scores, answers, f.each)
	return r, found(len(r.Missed) > 0, "tactics: %d problems are not solved", len(r.Missed))
}

func readTactics(path string) ([]tactics.Problem, error) {
	switch path {
	case "":
		return tactics.Suite()
	case "long":
		return tactics.Long()
	}
	f, err := disk.Open(path)
	if err != nil {
		return nil, about("--suite "+path, err)
	}
	defer f.Close()
	list, err := tactics.Read(f)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("no problems; want lines of: rule size kind result plies position [line]")
	}
	return list, about("--suite "+path, err)
}
