package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/bench"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/support/option"
)

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
	addInt(cmd, &b.depth, option.Depth.With(12, "depth of the searches, in plies"))
	addInt(cmd, &b.threads, option.SearchThreads.With(1, "threads of a search; only one has a signature"))
	addInt(cmd, &b.table, option.Table)
	fs.BoolVar(&b.smp, "smp", false, "compare --threads threads to one, and to independent searches")
	fs.BoolVar(&b.tactics, "tactics", false, "search the wins of the tactical suite")
	addInt(cmd, &b.tacticsNodes, option.Nodes.Named("tactics-nodes").With(200_000, "budget of a problem of the suite"))
	b.techniques.register(cmd)
	settle := option.Time.Named("settle").With(0, "search each quiet position for this time, as in 30s")
	settle.Zero = "off"
	addDuration(cmd, &b.settle, settle)
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
