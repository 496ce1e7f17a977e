package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/support/tempdir"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay"
)

// Selfplay is the speed of self-play beside that of the network alone on as
// many threads.
type Selfplay struct {
	Model        string  `json:"model"`
	Rule         string  `json:"rule"`
	Size         int     `json:"size"`
	Workers      int     `json:"workers"`
	Playouts     int     `json:"playouts"`
	Games        int     `json:"games"`
	Positions    int     `json:"positions"`
	PositionsPS  float64 `json:"positions_per_s"`
	EvalsPerS    float64 `json:"evals_per_s"`
	RawEvalsPerS float64 `json:"raw_evals_per_s"` // 0 for networks without batches
	Utilisation  float64 `json:"utilisation"`     // evals_per_s / raw_evals_per_s
	Idle         float64 `json:"idle"`            // share of the workers' time in which one has no game left and others have
}

// SelfplayOptions configure MeasureSelfplay.
type SelfplayOptions struct {
	Playouts, Workers, AtOnce int
	Rounds, GamesPerRound     int
}

// MeasureSelfplay plays rounds of games without a cache, with a slice of raw
// network time after each, on as many threads as there are workers and in
// batches of the size that the workers' evaluators fill at best. The
// samples go to a temporary directory. Every worker gets the same number of
// games, but games differ in length, so that the last one of a round is played
// while other workers rest: rounds should not be short. A network without batches is not
// measured alone.
func MeasureSelfplay(ctx context.Context, net *networks.Net, o SelfplayOptions, progress func()) (*Selfplay, error) {
	var raw *rawMeter
	if net.Batches() != nil {
		var err error
		if raw, err = newRawMeter(ctx, net, nn.DefaultMaxBatch, o.Workers); err != nil {
			return nil, err
		}
	}
	r := &Selfplay{
		Model: net.Name, Rule: net.Variant().Rule(), Size: net.Variant().Size, Workers: o.Workers, Playouts: o.Playouts,
	}
	var elapsed, idle time.Duration
	var evals uint64
	for round := range o.Rounds {
		if err := raw.run(ctx, 2*time.Second); err != nil {
			return nil, err
		}
		sum, err := selfplayRound(ctx, net, o, uint64(round))
		if err != nil {
			return nil, err
		}
		r.Games += sum.Games
		r.Positions += sum.Positions
		evals += sum.Stats.Evals
		elapsed += sum.Elapsed
		idle += sum.Idle
		progress()
	}
	if err := raw.run(ctx, 2*time.Second); err != nil {
		return nil, err
	}
	r.PositionsPS = float64(r.Positions) / elapsed.Seconds()
	r.EvalsPerS = float64(evals) / elapsed.Seconds()
	r.Idle = idle.Seconds() / (elapsed.Seconds() * float64(o.Workers))
	if raw != nil {
		r.RawEvalsPerS = raw.total.PerSecond()
		r.Utilisation = r.EvalsPerS / r.RawEvalsPerS
	}
	return r, nil
}

// SelfplayTreeMiB bounds the tree of each game of MeasureSelfplay.
const SelfplayTreeMiB = 16

func selfplayRound(ctx context.Context, net *networks.Net, o SelfplayOptions, seed uint64) (sum selfplay.Summary, err error) {
	dir, err := tempdir.New()
	if err != nil {
		return sum, fmt.Errorf("bench selfplay: %w", err)
	}
	defer func() { err = errors.Join(err, dir.Remove()) }()
	setup, err := generate.SelfplaySetup(net, generate.SelfplayOptions{
		Seed: seed, Capacity: o.AtOnce * games.MaxInFlight, Version: "bench",
	})
	if err != nil {
		return sum, err
	}
	opts := selfplay.Options{
		Games: o.GamesPerRound, Playouts: o.Playouts, Seed: seed,
		Opening: selfplay.Opening{MaxPlies: 4},
		Search:  mcts.Options{Memory: SelfplayTreeMiB << 20},
	}
	return selfplay.Run(ctx, setup, opts, selfplay.Host{Dir: dir.Join("run"), Workers: o.Workers, AtOnce: o.AtOnce, Now: time.Now})
}
