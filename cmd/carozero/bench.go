package main

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/bench"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/support/option"
)

// newBench returns the command "bench".
func newBench() *cobra.Command {
	return group("bench", "Measure speed against the raw limit of the same run",
		newBenchRules(), newBenchNN(), newBenchMCTS(), newBenchAlphaBeta(), newBenchSelfplay())
}

// printMeasured prints a measurement. One that ended with err is none.
func (f *outputFlags) printMeasured(cmd *cobra.Command, r report.Report, err error) error {
	if err != nil {
		return interrupted(err, "a measurement that is cut short is none; nothing is kept")
	}
	return f.print(cmd, r)
}

func newBenchRules() *cobra.Command {
	var (
		variant variantFlags
		output  outputFlags
		length  time.Duration
	)
	cmd := &cobra.Command{
		Use:     "rules",
		Short:   "Speed of play and undo, win test included, on one core",
		Example: "  carozero bench rules --rule freestyle --size 15",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := variant.variant()
			if err != nil {
				return err
			}
			r, err := bench.MeasureRules(cmd.Context(), v, length)
			return output.printMeasured(cmd, report.BenchRules{Rules: r}, err)
		},
	}
	variant.register(cmd)
	output.register(cmd)
	addNum(cmd, &length, option.Time.Named("duration").With(2*time.Second, "how long to measure"))
	return cmd
}

func newBenchNN() *cobra.Command {
	var (
		variant variantFlags
		net     netFlags
		output  outputFlags
		batch   int
		length  time.Duration
	)
	cmd := &cobra.Command{
		Use:     "nn",
		Short:   "Raw speed of a network",
		Example: "  carozero bench nn --threads 1 --batch 1\n  carozero bench nn --model net.onnx --size 19",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := variant.variant()
			if err != nil {
				return err
			}
			loader := net.loader()
			var m option.Memory
			m.Add(fmt.Sprintf("--batch %d, --threads %d", batch, loader.Threads()), v.RowBytes(), batch, loader.Threads())
			if err := checkMemory(&m); err != nil {
				return err
			}
			n, err := loader.Open(v, net.model)
			if err != nil {
				return err
			}
			defer n.Close()
			r, err := bench.MeasureNN(cmd.Context(), n, batch, loader.Threads(), length)
			return output.printMeasured(cmd, report.BenchNN{NN: r, Size: v.Size}, err)
		},
	}
	variant.register(cmd)
	net.register(cmd)
	output.register(cmd)
	addNum(cmd, &batch, option.Batch)
	addNum(cmd, &length, option.Time.Named("duration").With(3*time.Second, "how long to measure"))
	return cmd
}

func newBenchMCTS() *cobra.Command {
	var (
		variant variantFlags
		net     netFlags
		search  searchFlags
		output  outputFlags
		rounds  int
	)
	cmd := &cobra.Command{
		Use:   "mcts",
		Short: "Speed of the tree search, without a cache, beside the network's raw speed",
		Example: `  carozero bench mcts --playouts 800
  carozero bench mcts --model uniform --rule freestyle --size 19 --playouts 2000`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if net.threads == 0 {
				net.threads = 1
			}
			v, err := variant.variant()
			if err != nil {
				return err
			}
			if err := search.check(v); err != nil {
				return err
			}
			n, err := net.open(v)
			if err != nil {
				return err
			}
			defer n.Close()
			bar := newProgress((rounds+1)*bench.Positions, "searches")
			r, err := bench.MeasureMCTS(cmd.Context(), n, bench.MCTSOptions{
				Playouts: search.playouts, Threads: net.threads, Search: search.settings.Search, Rounds: rounds,
				Solver: n.Variant().Solvers(n.Settled(search.settings.Solvers)), Form: n.Form(search.settings.Solvers),
			}, bar.step)
			_ = bar.Close()
			return output.printMeasured(cmd, report.BenchMCTS{MCTS: r}, err)
		},
	}
	variant.register(cmd)
	net.register(cmd)
	search.register(cmd, 800, games.DefaultSolvers().Root)
	output.register(cmd)
	addNum(cmd, &rounds, option.Rounds.With(1, "passes over the ten positions, after one that is not counted"))
	return cmd
}

func newBenchSelfplay() *cobra.Command {
	var (
		variant variantFlags
		net     netFlags
		output  outputFlags
		opts    bench.SelfplayOptions
	)
	cmd := &cobra.Command{
		Use:     "selfplay",
		Short:   "Speed of self-play on all cores, without a cache, beside the network's raw speed",
		Example: "  carozero bench selfplay --playouts 100",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := variant.variant()
			if err != nil {
				return err
			}
			var m option.Memory
			m.Add(fmt.Sprintf("--workers %d, --at-once %d", opts.Workers, opts.AtOnce),
				v.TreeBytes(opts.Playouts, bench.SelfplayTreeMiB)+games.MaxInFlight*v.RowBytes(), opts.Workers, opts.AtOnce)
			if err := checkMemory(&m); err != nil {
				return err
			}
			n, err := net.open(v)
			if err != nil {
				return err
			}
			defer n.Close()
			bar := newProgress(opts.Rounds, "rounds")
			r, err := bench.MeasureSelfplay(cmd.Context(), n, opts, bar.step)
			_ = bar.Close()
			return output.printMeasured(cmd, report.BenchSelfplay{Selfplay: r}, err)
		},
	}
	variant.register(cmd)
	net.register(cmd)
	output.register(cmd)
	addNum(cmd, &opts.Playouts, option.Playouts.With(100, "playouts of a search").Above(2))
	addNum(cmd, &opts.Workers, option.Workers.With(int64(runtime.NumCPU()), "goroutines that play, and threads of the raw measurement"))
	addNum(cmd, &opts.AtOnce, option.AtOnce)
	addNum(cmd, &opts.Rounds, option.Rounds.With(3, "rounds of games"))
	addNum(cmd, &opts.GamesPerRound, option.Games.With(64, "games of a round"))
	return cmd
}

// benchAlphaBeta holds the flags of the command "bench alphabeta".
type benchAlphaBeta struct {
	variant        variantFlags
	output         outputFlags
	depth, threads int
	table          int
	smp, tactics   bool
	tacticsNodes   int64
	settle         time.Duration
	techniques     techniquesFlag
}

func newBenchAlphaBeta() *cobra.Command {
	var b benchAlphaBeta
	cmd := &cobra.Command{
		Use:   "alphabeta",
		Short: "Speed and signature of the classical search, and its time to solution",
		Long: `Search twelve fixed positions, from the opening to the late middle game, to a
fixed depth. The signature is the total number of nodes: on one thread it is the
same on every run and every machine, and changes only with the search itself.

--smp searches more than fifty quiet positions on --threads threads, on one
thread, and by as many independent searches at the same time, and shows the
ratios. --tactics
searches the wins of the tactical suite until each is claimed. --settle searches
the quiet positions for a time each, and shows how soon each had the move and
the score that it ended with.`,
		Example: `  carozero bench alphabeta
  carozero bench alphabeta --depth 10 --techniques rfp=off
  carozero bench alphabeta --threads 2 --smp
  carozero bench alphabeta --tactics --settle 30s --json`,
		Args: noArgs,
		RunE: b.run,
	}
	b.variant.register(cmd)
	if err := cmd.Flags().Set("rule", "freestyle"); err != nil {
		panic(err) // the flag was registered a line above
	}
	cmd.Flags().Lookup("rule").DefValue = "freestyle"
	b.output.register(cmd)
	fs := cmd.Flags()
	addNum(cmd, &b.depth, option.Depth.With(12, "depth of the searches, in plies"))
	addNum(cmd, &b.threads, option.SearchThreads.With(1, "threads of a search; only one has a signature"))
	addNum(cmd, &b.table, option.Table)
	fs.BoolVar(&b.smp, "smp", false, "compare --threads threads to one, and to independent searches")
	fs.BoolVar(&b.tactics, "tactics", false, "search the wins of the tactical suite")
	addNum(cmd, &b.tacticsNodes, option.Nodes.Named("tactics-nodes").With(200_000, "budget of a problem of the suite"))
	b.techniques.register(cmd)
	settle := option.Time.Named("settle").With(0, "search each quiet position for this time, as in 30s")
	settle.Zero = "off"
	addNum(cmd, &b.settle, settle)
	return cmd
}

// options checks the flags.
func (b *benchAlphaBeta) options() (o bench.AlphaBetaOptions, err error) {
	if b.smp && b.threads < 2 {
		return o, usagef("--smp: want --threads 2 or more to compare")
	}
	var m option.Memory
	m.Add(fmt.Sprintf("--table %d, --threads %d", b.table, b.threads), games.ClassicalBytes(b.threads, b.table))
	if b.smp {
		m.Add("--smp", games.ClassicalBytes(1, b.table), b.threads)
	}
	if err := checkMemory(&m); err != nil {
		return o, err
	}
	o.Depth = b.depth
	o.Search = alphabeta.Options{Threads: b.threads, TableMiB: b.table}
	return o, b.techniques.set(&o.Search)
}

func (b *benchAlphaBeta) run(cmd *cobra.Command, _ []string) error {
	o, err := b.options()
	if err != nil {
		return err
	}
	v, err := b.variant.variant()
	if err != nil {
		return err
	}
	r, err := b.measure(cmd.Context(), v, o)
	return b.output.printMeasured(cmd, report.BenchAlphaBeta{AlphaBeta: r}, err)
}

// measure runs the measurements that were asked for, one after the other.
func (b *benchAlphaBeta) measure(ctx context.Context, v games.Variant, o bench.AlphaBetaOptions) (*bench.AlphaBeta, error) {
	bar := newProgress(-1, "searches")
	defer bar.Close()
	r, err := bench.MeasureAlphaBeta(ctx, v, o, bar.step)
	if err != nil {
		return nil, err
	}
	if b.smp {
		if r.SMP, err = bench.MeasureSMP(ctx, v, o, bar.step); err != nil {
			return nil, err
		}
	}
	if b.tactics {
		if r.Tactics, err = bench.MeasureTactics(ctx, o, b.tacticsNodes, bar.step); err != nil {
			return nil, err
		}
	}
	if b.settle > 0 {
		if r.Settled, err = bench.MeasureSettled(ctx, v, o, b.settle, bar.step); err != nil {
			return nil, err
		}
	}
	return r, nil
}
