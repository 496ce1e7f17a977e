package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/nn"
)

// crosscheckCommand holds the flags of the command "crosscheck".
type crosscheckCommand struct {
	variant         variantFlags
	net             netFlags
	endgames        endgamesFlag
	inputs          []string
	mcts, alphaBeta string
	opts            crosscheck.Options
	rows            string
	workers         int
	resume          bool
	maxBlunders     int
	cacheMiB        int
	note            func(text string)
}

// newCrosscheck returns the command "crosscheck".
func newCrosscheck() *cobra.Command {
	var c crosscheckCommand
	return define(&cobra.Command{
		Use:   "crosscheck",
		Short: "Find out where MCTS and alpha-beta disagree, and who is wrong",
		Long: `Search positions with MCTS and with alpha-beta. Where their moves differ, look
deeper at both and sort the position: agree, differ, unproven, MCTS blunder,
alpha-beta blunder. A blunder is proven: the opponent's forced win after the
move, or the win before it, is replayed against every legal defence, and a win
was let go only if a search of all fours and threes that was not cut short
finds none after some reply. What looks like a blunder else is unproven, and
does not count.

An interrupted run goes on with --resume and ends with the rows of an
undisturbed one. The exit status is 3 with more than --max-blunders MCTS
blunders.`,
		Example: `  carozero crosscheck --input runs/one --mcts playouts=400 --alphabeta nodes=200000
  carozero crosscheck --input runs/one --rows rows.jsonl --max-blunders 5`,
	}, c.run, c.variant.register, c.net.registerRuntime, c.endgames.register, c.register)
}

func (c *crosscheckCommand) register(cmd *cobra.Command) {
	fs, o := cmd.Flags(), &c.opts
	fs.StringArrayVar(&c.inputs, "input", nil,
		"run of self-play, shard, SGF, psq or lib file or folder of them, or list of positions; may be repeated")
	fs.StringVar(&c.mcts, "mcts", "playouts=400",
		"as a player of match, with playouts and "+strings.Join(players.FixedTreeArgs()[1:], ", "))
	fs.StringVar(&c.alphaBeta, "alphabeta", "nodes=200000",
		"as a player of match, with "+strings.Join(players.FixedClassicalArgs,
			", ")+" and the techniques of the search; judged by the fitted weights unless net or weights say otherwise")
	addNum(cmd, &o.Deeper, option.Deeper.With(4, "how many times as much both engines get where they differ"))
	addNum(cmd, &o.SolverNodes, option.Nodes.Named("solver-nodes").With(100_000,
		"where they differ: most moves that the solver of forced wins plays a call"))
	addNum(cmd, &o.Sampling.Every, option.GamePlies.Named("every").With(1,
		"take every n-th position of a game, from a random one").ZeroMeans(""))
	addNum(cmd, &o.Sampling.PerGame, option.GamePlies.Named("positions-per-game").With(8,
		"most positions of a game, drawn at random").ZeroMeans("all"))
	addNum(cmd, &o.Sampling.Limit, option.Count.With(0, "most positions in all").ZeroMeans("no limit"))
	addNum(cmd, &o.Sampling.Seed, option.RandomSeed)
	fs.StringVar(&c.rows, "rows", "", "file of one JSON row a position, written as they are done")
	fs.BoolVar(&c.resume, "resume", false, "go on with the rows that are in --rows")
	addNum(cmd, &c.maxBlunders, option.Count.Named("max-blunders").With(-1,
		"most MCTS blunders; with more the exit status is 3; -1: no limit").Above(-1))
	addNum(cmd, &c.workers, option.Workers.With(int64(runtime.NumCPU()), "positions at once; changes no row"))
	addNum(cmd, &c.cacheMiB, option.Cache)
	needs(cmd, "input", "where the positions come from")
	goesWith(cmd, "--rows", func() bool { return c.rows != "" }, "resume")
}

// run does the work. It returns a report too if it was interrupted.
func (c *crosscheckCommand) run(cmd *cobra.Command, _ []string) (_ report.Report, err error) {
	v := c.variant.v
	c.note = noteOf(cmd)
	setup, err := c.finish(v)
	if err != nil {
		return nil, err
	}
	if v, err = c.settle(v); err != nil {
		return nil, err
	}
	if err := c.endgames.open(cmd, v, nil); err != nil {
		return nil, err
	}
	defer func() { err = c.endgames.close(err) }()
	setup.SetEndgames(c.endgames.solved)
	c.net.model = setup.Model
	net, err := c.net.open(v)
	if err != nil {
		return nil, err
	}
	defer net.Close()
	sum, err := c.examine(cmd, net, &setup)
	r := &report.Crosscheck{Rule: v.Rule(), Size: v.Size, Model: net.Name, Summary: sum, Rows: c.rows}
	err = unfinished(cmd, err, "rows", "%d of %d positions are judged", r.Positions, r.Of)
	switch {
	case err != nil && r.Positions == 0:
		return nil, err
	case err == nil:
		err = found(c.maxBlunders >= 0 && r.MCTSBlunders > c.maxBlunders,
			"crosscheck: %d MCTS blunders, --max-blunders %d", r.MCTSBlunders, c.maxBlunders)
	}
	return r, err
}

// finish checks the flags and returns what the engines are.
func (c *crosscheckCommand) finish(v games.Variant) (crosscheck.Setup, error) {
	setup, err := crosscheck.ParseSetup(c.mcts, c.alphaBeta)
	if err != nil {
		return setup, asUsage(fmt.Errorf("--%w", err))
	}
	if option.Playouts.Holds(int64(setup.Playouts)*int64(c.opts.Deeper)) != nil {
		return setup, usagef("--deeper %d: with playouts=%d that is more than a search can have, %d", c.opts.Deeper,
			setup.Playouts, option.Playouts.Max)
	}
	c.opts.Playouts, c.opts.Nodes = setup.Playouts, setup.Nodes
	if err := checkMemory(
		need{fmt.Sprintf("--workers %d", c.workers), setup.Bytes(v, c.opts.Deeper), c.workers}, cacheNeed(c.cacheMiB),
	); err != nil {
		return setup, err
	}
	return setup, about("--rows", crosscheck.CheckRows(c.rows, c.resume))
}

// examine judges the positions of the games.
func (c *crosscheckCommand) examine(cmd *cobra.Command, net *networks.Net,
	setup *crosscheck.Setup) (none crosscheck.Summary, err error) {
	v := net.Variant()
	var cache *nn.CacheTable
	if c.cacheMiB > 0 {
		if cache, err = v.CacheTable(c.cacheMiB << 20); err != nil {
			return none, err
		}
	}
	if c.opts.Setting, err = c.setting(net); err != nil {
		return none, err
	}
	bar := newProgress(-1, "cross-check")
	defer bar.Close()
	return crosscheck.Run(cmd.Context(), c.opts, crosscheck.Host{
		Games:   c.source(v),
		Engines: setup.Builder(net, c.opts.Sampling.Seed, cache),
		Workers: c.workers,
		Rows:    c.rows,
		Resume:  c.resume,
		Progress: func(s crosscheck.Summary) {
			bar.Describe(fmt.Sprintf("cross-check: %d differ, %d unproven, %d+%d blunders", s.Differ, s.Unproven, s.MCTSBlunders,
				s.AlphaBetaBlunder))
			bar.at(s.Positions, s.Of)
		},
	})
}

// setting names all that rows depend on, this build of the program included: only the same may go
// on with them. It is empty where no rows are kept.
func (c *crosscheckCommand) setting(net *networks.Net) (string, error) {
	if c.rows == "" {
		return "", nil
	}
	program, err := build()
	if err != nil {
		return "", err
	}
	v, more := net.Variant(), ""
	if c.endgames.file != "" {
		sum, err := disk.SHA256(c.endgames.file)
		if err != nil {
			return "", about("--bitbase", err)
		}
		more = "; bitbase " + sum
	}
	if v.Cards != "" {
		more += "; cards " + v.Cards
	}
	rules, _ := v.Gomoku()
	return fmt.Sprintf("program %s; %s %s %d %d; model %s %s; mcts %s; alphabeta %s%s",
		program, v.Game, v.Rule(), v.Size, rules.OpenDistance, net.Name, net.SHA256, c.mcts, c.alphaBeta, more), nil
}

// settle returns the variant of the games: the one asked for, or, where none
// was, that of the first input which names one.
func (c *crosscheckCommand) settle(v games.Variant) (games.Variant, error) {
	if c.variant.named() {
		return v, nil
	}
	r, err := c.source(v)()
	if err != nil {
		return v, about("--input", err)
	}
	defer r.Close()
	if _, err := r.Next(); err != nil && !errors.Is(err, io.EOF) {
		return v, about("--input", err)
	}
	return r.Variant(), nil
}

// source returns what opens the games.
func (c *crosscheckCommand) source(v games.Variant) crosscheck.Source {
	o := gamefiles.Options{Variant: v, Fixed: c.variant.named(), Note: c.note}
	return func() (*gamefiles.Reader, error) { return gamefiles.Open(c.inputs, o) }
}
