package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// workers returns n, or the number of processors if n is 0.
func workers(n int) int { return cmp.Or(n, runtime.NumCPU()) }

// Play implements [Player].
func (w *Worker) Play(ctx context.Context, job PlayJob) error {
	v, err := variantOf(job.Board)
	if err != nil {
		return err
	}
	run, err := w.run(&job.Games, v, job.Seed)
	if err != nil {
		return err
	}
	p, err := run.Open(selfplay.Machine{
		Loader: w.Loader, Model: job.Network.Path, AtOnce: job.AtOnce, CacheMiB: job.Cache,
	})
	if err != nil {
		return err
	}
	defer p.Close()
	host := selfplay.Host{
		Dir: job.Dir, Resume: true, Workers: job.Workers, AtOnce: job.AtOnce, Now: time.Now,
		Progress: func(s selfplay.Summary) { job.Progress(s.OnDisk, s.Of) },
	}
	if w.Run == nil {
		_, err = selfplay.Play(ctx, p.Setup, p.Options, host)
	} else {
		err = w.Run(ctx, p, host)
	}
	if errors.Is(err, samples.ErrOptions) {
		err = again(job.Dir, err)
	}
	return err
}

// run returns the run of a table's games of a variant.
func (w *Worker) run(g *Games, v games.Variant, seed uint64) (*selfplay.Run, error) {
	r := &selfplay.Run{Version: w.Version, Commit: w.Commit, Options: g.Options}
	spec, err := players.ParseSpec(g.Player)
	if err == nil {
		err = r.SetPlayer(spec, selfplay.DefaultTree())
	}
	if err != nil {
		return nil, fmt.Errorf("%w; the network of mcts is the loop's best", err)
	}
	o, own := &r.Options, selfplay.Options{}.WithDefaults()
	if o.Seed = seed; r.Player != "" {
		o.Labels.Temperature, o.Temperature = schedule(o.Temperature, own.Labels.Temperature), mcts.Schedule{}
	} else {
		o.Temperature = schedule(o.Temperature, own.Temperature)
	}
	r.SetVariant(v)
	return r, nil
}

// schedule returns a table's temperatures, each the player's own if the table has none.
func schedule(table, own mcts.Schedule) mcts.Schedule {
	return mcts.Schedule{
		Start: cmp.Or(table.Start, own.Start), End: cmp.Or(table.End, own.End),
		HalfLife: cmp.Or(table.HalfLife, own.HalfLife),
	}
}
