package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
)

// selfplayFlags are the settings of a self-play run.
type selfplayFlags struct {
	opts               selfplay.Options
	host               selfplay.Host
	playouts, inFlight int
	tempStart, tempEnd float64
	halfLife           float64
	cacheMiB, treeMiB  int
	solver             int
}

func (f *selfplayFlags) register(cmd *cobra.Command) {
	fs, o := cmd.Flags(), &f.opts
	fs.IntVar(&o.Games, "games", 100, "number of games")
	fs.IntVar(&f.playouts, "playouts", 200, "playouts of a full search")
	fs.StringVar(&f.host.Dir, "out", "", "directory of the run, made if it does not exist (required)")
	fs.IntVar(&f.host.Workers, "workers", runtime.NumCPU(), "goroutines that play; changes no byte of the samples")
	fs.IntVar(&f.host.AtOnce, "at-once", 16, "games that a worker keeps under way; changes no byte of the samples")
	fs.BoolVar(&f.host.Resume, "resume", false, "continue the run in --out, given the same options")
	fs.Uint64Var(&o.Seed, "seed", 1, "seed of everything random")
	fs.IntVar(&o.GamesPerShard, "games-per-shard", 64, "games of a shard")
	fs.IntVar(&f.inFlight, "in-flight", 0, "playouts under way at once in a search; part of the algorithm (default 2)")
	fs.IntVar(&o.CheapPlayouts, "cheap-playouts", 0, "playout-cap randomisation: playouts of a cheap search (0: all are full)")
	fs.Float64Var(&o.FullShare, "full-share", 0.25, "with --cheap-playouts: share of full searches")
	fs.Float32Var(&o.CheapWeight, "cheap-weight", 0, "with --cheap-playouts: weight of rows from cheap searches (0: leave them out)")
	fs.Float64Var(&f.tempStart, "temperature", 1, "temperature of move choice at the start of a game")
	fs.Float64Var(&f.tempEnd, "temperature-end", 0.2, "temperature that it falls to")
	fs.Float64Var(&f.halfLife, "temperature-half-life", 10, "plies in which the difference halves")
	fs.IntVar(&o.Opening.MinPlies, "opening-min", 0, "fewest random moves that a game starts with")
	fs.IntVar(&o.Opening.MaxPlies, "opening-max", 6, "most random moves that a game starts with")
	fs.Float64Var(&o.Opening.MaxValue, "opening-balance", 0.5, "net value, to either side, up to which an opening counts as balanced")
	fs.IntVar(&o.MaxPlies, "max-plies", 0, "moves after which a game is drawn (0: no limit; Onitama 300)")
	fs.Float64Var(&o.ResignAt, "resign", 0, "resign at a value of minus this, three times in a row (0: never)")
	fs.BoolVar(&o.StopAtProof, "stop-at-proof", false, "end a game when its outcome is proven")
	fs.BoolVar(&o.DropTree, "drop-tree", false, "start every search from an empty tree")
	fs.IntVar(&f.solver, "solver-nodes", engine.DefaultSolvers().Leaf, "budget of the solver of continuous fours at each leaf (0: off); part of the algorithm")
	fs.IntVar(&f.cacheMiB, "cache", 64, "memory of the cache of network results, in MiB (0: none)")
	fs.IntVar(&f.treeMiB, "memory", 16, "bound on the memory of one game's search tree, in MiB; part of the algorithm")
}

// finish checks the flags and puts those together that are not bound to a
// field.
func (f *selfplayFlags) finish() error {
	if f.host.Dir == "" {
		return usagef("--out: give the directory that the samples go to")
	}
	if f.playouts < 1 {
		return usagef("--playouts %d: want 2 or more", f.playouts)
	}
	if f.host.Workers < 1 || f.host.AtOnce < 1 {
		return usagef("--workers %d, --at-once %d: want 1 or more", f.host.Workers, f.host.AtOnce)
	}
	if f.cacheMiB < 0 || f.treeMiB < 1 {
		return usagef("--cache %d, --memory %d: want 0 or more, and 1 or more", f.cacheMiB, f.treeMiB)
	}
	if f.solver < 0 {
		return usagef("--solver-nodes %d: want 0 or more", f.solver)
	}
	if f.inFlight < 0 || f.inFlight > engine.MaxInFlight {
		return usagef("--in-flight %d: want 1 to %d, or 0 for the default", f.inFlight, engine.MaxInFlight)
	}
	if !(f.halfLife > 0) || math.IsInf(f.halfLife, 0) {
		return usagef("--temperature-half-life %v: want a positive number", f.halfLife)
	}
	o := &f.opts
	o.Playouts = f.playouts
	o.Temperature = mcts.Schedule{Start: f.tempStart, End: f.tempEnd, HalfLife: f.halfLife}
	o.Search = mcts.Options{InFlight: f.inFlight, Memory: int64(f.treeMiB) << 20}
	f.host.Now = time.Now
	*o = o.WithDefaults()
	return asUsage(o.Check())
}

// newSelfplay returns the command "selfplay".
func newSelfplay() *cobra.Command {
	var (
		variant variantFlags
		net     netFlags
		flags   selfplayFlags
		output  outputFlags
	)
	cmd := &cobra.Command{
		Use:   "selfplay",
		Short: "Play games of the net against itself and write training samples",
		Long: `Play games of the net against itself and write training samples.

One seed and one set of options give the same bytes, whatever the number of
workers. An interrupted run goes on with --resume and ends with the bytes of an
undisturbed one.`,
		Example: `  carozero selfplay --games 200 --playouts 400 --out runs/one
  carozero selfplay --rule renju --size 15 --model uniform --playouts 2000 --games 50 --out runs/two
  carozero selfplay --games 200 --playouts 400 --out runs/one --resume`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := flags.finish(); err != nil {
				return err
			}
			v, err := variant.variant()
			if err != nil {
				return err
			}
			if flags.opts.MaxPlies == 0 {
				flags.opts.MaxPlies = v.Of().MoveLimit
			}
			n, err := net.open(v)
			if err != nil {
				return err
			}
			defer n.Close()
			report, err := runSelfplay(cmd.Context(), n, &flags)
			if report != nil {
				err = interrupted(err, "%d of %d games are in %s; games under way that are lost and will be played again: %d; go on with: %s",
					report.GamesOnDisk, report.GamesWanted, flags.host.Dir, report.Lost, again(cmd, nil, map[string]string{"resume": "true"}))
			}
			if report != nil && report.GamesOnDisk > 0 {
				if printErr := output.print(cmd.OutOrStdout(), report, report.text); err == nil {
					err = printErr
				}
			}
			return err
		},
	}
	variant.register(cmd)
	net.register(cmd)
	flags.register(cmd)
	output.register(cmd)
	return cmd
}

// runSelfplay plays the run. It returns a report too if the run was
// interrupted.
func runSelfplay(ctx context.Context, n *engine.Net, f *selfplayFlags) (*selfplayReport, error) {
	setup, err := engine.SelfplaySetup(n, engine.SelfplayOptions{
		Seed:       f.opts.Seed,
		Capacity:   f.host.AtOnce * f.opts.Search.InFlight,
		CacheBytes: f.cacheMiB << 20, SolverNodes: f.solver,
		Version: version,
		Commit:  commit,
	})
	if err != nil {
		return nil, err
	}
	bar := newProgress(f.opts.Games, "self-play")
	host := f.host
	host.Progress = func(s selfplay.Summary) { _ = bar.Set(s.OnDisk) }
	sum, err := selfplay.Run(ctx, setup, f.opts, host)
	_ = bar.Close()
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	return newSelfplayReport(n, f.host.Dir, sum), err
}

type selfplayReport struct {
	Dir           string  `json:"dir"`
	Rule          string  `json:"rule"`
	Size          int     `json:"size"`
	Model         string  `json:"model"`
	Games         int     `json:"games"`
	GamesOnDisk   int     `json:"games_on_disk"`
	GamesWanted   int     `json:"games_wanted"`
	Lost          int     `json:"games_lost,omitempty"` // under way when the run was interrupted
	Shards        int     `json:"shards"`
	Positions     int     `json:"positions"`
	FirstWins     int     `json:"first_wins"`
	SecondWins    int     `json:"second_wins"`
	Draws         int     `json:"draws"`
	MeanLength    float64 `json:"mean_length"`
	PositionsPerS float64 `json:"positions_per_s"`
	EvalsPerS     float64 `json:"evals_per_s"`
	CacheHits     float64 `json:"cache_hits"`
	Seconds       float64 `json:"seconds"`
}

func newSelfplayReport(n *engine.Net, dir string, s selfplay.Summary) *selfplayReport {
	v := n.Variant()
	return &selfplayReport{
		Dir: dir, Rule: v.Rule(), Size: v.Size, Model: n.Name,
		Games: s.Games, GamesOnDisk: s.OnDisk, GamesWanted: s.Of, Lost: s.Lost, Shards: s.Shards, Positions: s.Positions,
		FirstWins: s.First, SecondWins: s.Second, Draws: s.Draws,
		MeanLength: s.MeanLength(), PositionsPerS: s.PositionsPerSecond(), EvalsPerS: s.EvalsPerSecond(),
		CacheHits: s.Stats.HitRate(), Seconds: s.Elapsed.Seconds(),
	}
}

func (r *selfplayReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s on %dx%d with %s: %d games, %d positions in %.1f s, %d of %d games on disk, %d shards in %s\n",
		r.Rule, r.Size, r.Size, r.Model, r.Games, r.Positions, r.Seconds, r.GamesOnDisk, r.GamesWanted, r.Shards, r.Dir)
	fmt.Fprintf(w, "first %d, second %d, draws %d; mean length %.1f moves\n", r.FirstWins, r.SecondWins, r.Draws, r.MeanLength)
	fmt.Fprintf(w, "%.1f positions/s, %.0f evals/s, %.1f%% cache hits\n", r.PositionsPerS, r.EvalsPerS, 100*r.CacheHits)
}
