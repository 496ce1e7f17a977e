package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/search"
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
	p, err := run.Open(selfplay.Machine{Loader: w.Loader, Model: job.Network.Path, AtOnce: job.AtOnce, CacheMiB: job.Cache})
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

// treeGames are the settings of an mcts player of a table.
type treeGames struct {
	playouts int
	tree     search.TreeSettings
}

// Defaults of the tree search's games, those of the command selfplay.
const (
	gamePlayouts = 200
	gameTreeMiB  = 16
)

// treeSettings are what an mcts player of a table may set.
var treeSettings = append(
	[]option.Setting[treeGames]{option.NumVar(option.Playouts.Above(2), func(p *treeGames) *int { return &p.playouts })},
	option.Within(search.GameSettings, func(p *treeGames) *search.TreeSettings { return &p.tree })...)

// run returns the run of a table's games of a variant.
func (w *Worker) run(g *Games, v games.Variant, seed uint64) (*selfplay.Run, error) {
	r := &selfplay.Run{Version: w.Version, Commit: w.Commit, Variant: v.Options(), Options: g.Options}
	o := &r.Options
	o.Seed, o.MaxPlies = seed, cmp.Or(o.MaxPlies, v.Of().MoveLimit)
	spec, err := players.ParseSpec(g.Player)
	if err != nil {
		return nil, err
	}
	switch spec.Kind {
	case players.AlphaBeta:
		if _, err := selfplay.ParseAlphaBeta(g.Player); err != nil {
			return nil, err
		}
		if g.Targets.Forced > 0 || g.Targets.Gumbel.Considered > 0 {
			return nil, fmt.Errorf("%q: forced_playouts and gumbel are of mcts", g.Player)
		}
		r.Player = g.Player
		o.Labels.Temperature = schedule(o.Temperature, selfplay.LabelOptions{}.WithDefaults().Temperature)
		o.Temperature = mcts.Schedule{}
	case players.MCTS:
		p := treeGames{gamePlayouts, search.DefaultTreeSettings(gameTreeMiB)}
		if err := players.ReadArgs(treeSettings, spec.Args, &p); err != nil {
			return nil, fmt.Errorf("%q: %w; the network is the loop's best", g.Player, err)
		}
		r.SetTree(p.playouts, &p.tree)
		o.Temperature = schedule(o.Temperature, selfplay.Options{}.WithDefaults().Temperature)
	default:
		return nil, fmt.Errorf("%q: want mcts or alphabeta", g.Player)
	}
	*o = o.WithDefaults()
	return r, nil
}

// schedule returns a table's temperatures, each the player's own if the table has none.
func schedule(table, own mcts.Schedule) mcts.Schedule {
	return mcts.Schedule{
		Start: cmp.Or(table.Start, own.Start), End: cmp.Or(table.End, own.End), HalfLife: cmp.Or(table.HalfLife, own.HalfLife),
	}
}
