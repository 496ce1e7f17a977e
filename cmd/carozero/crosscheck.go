package main

import (
	"context"
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

// crosscheckFlags are the settings of a cross-check.
type crosscheckFlags struct {
	inputs          []string
	fixed           bool // the user named the rule
	mcts, alphaBeta string
	opts            crosscheck.Options
	rows, out       string
	workers         int
	resume          bool
	maxBlunders     int
	cacheMiB        int
	endgames        endgamesFlag
	note            func(text string)
}

func (f *crosscheckFlags) register(cmd *cobra.Command) {
	fs, o := cmd.Flags(), &f.opts
	fs.StringArrayVar(&f.inputs, "input", nil,
		"run of self-play, shard, SGF, psq or lib file or folder of them, or list of positions; may be repeated")
	fs.StringVar(&f.mcts, "mcts", "playouts=400",
		"as a player of match, with playouts and "+strings.Join(players.FixedTreeArgs()[1:], ", "))
	fs.StringVar(&f.alphaBeta, "alphabeta", "nodes=200000",
		"as a player of match, with "+strings.Join(players.FixedClassicalArgs(),
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
	fs.StringVar(&f.rows, "rows", "", "file of one JSON row a position, written as they are done")
	fs.BoolVar(&f.resume, "resume", false, "go on with the rows that are in --rows")
	fs.StringVar(&f.out, "out", "", "file of the HTML report")
	addNum(cmd, &f.maxBlunders, option.Count.Named("max-blunders").With(-1,
		"most MCTS blunders; with more the exit status is 3; -1: no limit").Above(-1))
	addNum(cmd, &f.workers, option.Workers.With(int64(runtime.NumCPU()), "positions at once; changes no row"))
	addNum(cmd, &f.cacheMiB, option.Cache)
	f.endgames.register(cmd)
}

// newCrosscheck returns the command "crosscheck".
func newCrosscheck() *cobra.Command {
	var (
		variant variantFlags
		net     netFlags
		flags   crosscheckFlags
		output  outputFlags
	)
	cmd := &cobra.Command{
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
		Example: `  carozero crosscheck --input runs/one --mcts playouts=400 --alphabeta nodes=200000 --out report.html
  carozero crosscheck --input runs/one --rows rows.jsonl --max-blunders 5
  carozero crosscheck --input games.sgf --rule standard --positions-per-game 0 --rows rows.jsonl --resume`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := variant.variant()
			if err != nil {
				return err
			}
			flags.note = noteOf(cmd)
			flags.fixed = cmd.Flags().Changed("rule") || cmd.Flags().Changed("size") || cmd.Flags().Changed("game") ||
				cmd.Flags().Changed("open-rule")
			r, err := runCrosscheck(cmd, v, &net, &flags)
			if errors.Is(err, context.Canceled) {
				err = flags.interrupted(err, r, again(cmd, nil, map[string]string{"resume": "true"}))
			}
			if r == nil {
				return err
			}
			err = output.printAfter(cmd, err, r)
			return found(err, flags.maxBlunders >= 0 && r.MCTSBlunders > flags.maxBlunders,
				"crosscheck: %d MCTS blunders, --max-blunders %d", r.MCTSBlunders, flags.maxBlunders)
		},
	}
	variant.register(cmd)
	net.registerRuntime(cmd)
	flags.register(cmd)
	output.register(cmd)
	return cmd
}

// finish checks the flags and returns what the engines are.
func (f *crosscheckFlags) finish(v games.Variant) (crosscheck.Setup, error) {
	setup, err := crosscheck.ParseSetup(f.mcts, f.alphaBeta)
	if err != nil {
		return setup, asUsage(fmt.Errorf("--%w", err))
	}
	switch {
	case len(f.inputs) == 0:
		return setup, usagef("--input: say where the positions come from")
	case option.Playouts.Holds(int64(setup.Playouts)*int64(f.opts.Deeper)) != nil:
		return setup, usagef("--deeper %d: with playouts=%d that is more than a search can have, %d", f.opts.Deeper,
			setup.Playouts, option.Playouts.Max)
	case f.resume && f.rows == "":
		return setup, usagef("--resume: name the file of rows with --rows")
	}
	if err := givenOnce("--input", f.inputs); err != nil {
		return setup, err
	}
	if disk.Same(f.rows, f.out) {
		return setup, usagef("--out %s: --rows names the same file; name another", f.out)
	}
	f.opts.Playouts, f.opts.Nodes = setup.Playouts, setup.Nodes
	if err := f.checkMemory(v, &setup); err != nil {
		return setup, err
	}
	if err := crosscheck.CheckRows(f.rows, f.resume); err != nil {
		return setup, fmt.Errorf("--rows: %w", err)
	}
	if f.out != "" {
		if err := crosscheck.CheckReport(f.out); err != nil {
			return setup, fmt.Errorf("--out: %w", err)
		}
	}
	return setup, nil
}

// checkMemory refuses more workers than there is memory for.
func (f *crosscheckFlags) checkMemory(v games.Variant, setup *crosscheck.Setup) error {
	var m option.Memory
	m.Add(fmt.Sprintf("--workers %d", f.workers), setup.Bytes(v, f.opts.Deeper), f.workers)
	addCache(&m, f.cacheMiB)
	return checkMemory(&m)
}

// runCrosscheck does the work. It returns a report too if it was interrupted.
func runCrosscheck(cmd *cobra.Command, v games.Variant, netFlags *netFlags, f *crosscheckFlags) (_ *report.Crosscheck,
	err error) {
	ctx := cmd.Context()
	setup, err := f.finish(v)
	if err != nil {
		return nil, err
	}
	if v, err = f.settle(v); err != nil {
		return nil, err
	}
	solved, err := f.endgames.openForAny(cmd)
	if err != nil {
		return nil, err
	}
	defer func() { err = f.endgames.close(err) }()
	setup.SetEndgames(solved)
	netFlags.model = setup.Model
	net, err := netFlags.open(v)
	if err != nil {
		return nil, err
	}
	defer net.Close()
	findings, err := f.examine(ctx, net, &setup)
	if findings == nil {
		return nil, err
	}
	r := &report.Crosscheck{Rule: v.Rule(), Size: v.Size, Model: net.Name, Summary: findings.Summary(), Rows: f.rows}
	if f.out != "" {
		h := crosscheck.Heading{Variant: v, Model: net.Name, Input: strings.Join(f.inputs, ", ")}
		if saveErr := findings.SaveReport(f.out, h); saveErr != nil {
			err = errors.Join(err, unsavedError{fmt.Errorf("--out: %w", saveErr)})
		} else {
			r.Out = f.out
		}
	}
	if err != nil && r.Positions == 0 {
		return nil, err
	}
	return r, err
}

// unsavedError marks the error of a report that could not be written.
type unsavedError struct{ error }

// examine judges the positions of the games.
func (f *crosscheckFlags) examine(ctx context.Context, net *networks.Net,
	setup *crosscheck.Setup) (*crosscheck.Findings, error) {
	v := net.Variant()
	var cache *nn.CacheTable
	var err error
	if f.cacheMiB > 0 {
		if cache, err = v.CacheTable(f.cacheMiB << 20); err != nil {
			return nil, err
		}
	}
	if f.opts.Setting, err = f.setting(net); err != nil {
		return nil, err
	}
	bar := newProgress(-1, "cross-check")
	defer bar.Close()
	return crosscheck.Run(ctx, f.opts, crosscheck.Host{
		Games:   f.source(v),
		Engines: setup.Builder(net, f.opts.Sampling.Seed, cache),
		Workers: f.workers,
		Rows:    f.rows,
		Resume:  f.resume,
		Progress: func(s crosscheck.Summary) {
			bar.Describe(fmt.Sprintf("cross-check: %d differ, %d unproven, %d+%d blunders", s.Differ, s.Unproven, s.MCTSBlunders,
				s.AlphaBetaBlunder))
			bar.at(s.Positions, s.Of)
		},
	})
}

// interrupted says of a cross-check that was cut short what is kept of it, and
// the command that goes on; report is nil if no position was judged.
func (f *crosscheckFlags) interrupted(err error, r *report.Crosscheck, command string) error {
	done := "no position was judged"
	if r != nil {
		done = fmt.Sprintf("%d of %d positions were judged", r.Positions, r.Of)
	}
	if unsaved := (unsavedError{}); r != nil && errors.As(err, &unsaved) {
		done += fmt.Sprintf(" (%v)", unsaved)
	}
	if f.rows == "" {
		return interrupted(err, "%s and nothing but the summary is kept; with --rows FILE a cross-check can go on with "+
			"--resume", done)
	}
	return interrupted(err, "%s; what was finished is kept in %s; go on with: %s", done, f.rows, command)
}

// setting names all that rows depend on, with this build of the program where
// they are kept: only the same may go on with them.
func (f *crosscheckFlags) setting(net *networks.Net) (string, error) {
	program, solved := "", ""
	if f.rows != "" {
		var err error
		if program, err = build(); err != nil {
			return "", err
		}
		if f.endgames.file != "" {
			sum, err := disk.SHA256(f.endgames.file)
			if err != nil {
				return "", fmt.Errorf("--bitbase: %w", err)
			}
			solved = "; bitbase " + sum
		}
		if cards := net.Variant().Cards; cards != "" {
			solved += "; cards " + cards
		}
	}
	v := net.Variant()
	rules, _ := v.Gomoku()
	return fmt.Sprintf("program %s; %s %s %d %d; model %s %s; mcts %s; alphabeta %s%s",
		program, v.Game, v.Rule(), v.Size, rules.OpenDistance, net.Name, net.SHA256, f.mcts, f.alphaBeta, solved), nil
}

// settle returns the variant of the games: the one asked for, or, where none
// was, that of the first input which names one.
func (f *crosscheckFlags) settle(v games.Variant) (games.Variant, error) {
	if f.fixed {
		return v, nil
	}
	r, err := f.source(v)()
	if err != nil {
		return v, inputError(err)
	}
	defer r.Close()
	if _, err := r.Next(); err != nil && !errors.Is(err, io.EOF) {
		return v, inputError(err)
	}
	return r.Variant(), nil
}

// source returns what opens the games.
func (f *crosscheckFlags) source(v games.Variant) crosscheck.Source {
	return func() (*gamefiles.Reader, error) {
		return gamefiles.Open(f.inputs, gamefiles.Options{Variant: v, Fixed: f.fixed, Note: f.note})
	}
}

// inputError says which flag an input's error is about.
func inputError(err error) error { return fmt.Errorf("--input: %w", err) }
