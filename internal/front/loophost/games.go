package loophost

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/loop"
	"github.com/carozero/carozero/selfplay/samples"
)

// workers returns n, or the number of processors if n is 0.
func workers(n int) int { return cmp.Or(n, runtime.NumCPU()) }

// options returns the options of a run of a table's games.
func (p *player) options(g *loop.Games, v games.Variant, seed uint64) selfplay.Options {
	o := selfplay.Options{
		Games: g.Games, GamesPerShard: g.GamesPerShard, Seed: seed,
		Playouts: p.playouts, CheapPlayouts: g.CheapPlayouts, FullShare: g.FullShare, CheapWeight: float32(g.CheapWeight),
		Opening:  selfplay.Opening{MinPlies: g.OpeningMin, MaxPlies: g.OpeningMax, MaxValue: g.Balance},
		MaxPlies: cmp.Or(g.MaxPlies, v.Of().MoveLimit), ResignAt: g.Resign, StopAtProof: g.StopAtProof,
		ResignTurns: g.ResignTurns, ResignAudit: g.ResignAudit, ForkShare: g.ForkShare,
		Targets: selfplay.Targets{
			Forced: float32(g.ForcedPlayouts), Gumbel: mcts.Gumbel{Considered: g.Gumbel, Scale: g.GumbelScale}, Surprise: g.SurpriseWeight,
		},
		Teacher: selfplay.TeacherOptions{Lines: g.Lines, TargetTemperature: g.TargetTemperature, MaxLoss: g.MaxLoss},
		Search:  p.tree.Search,
	}
	if p.teaching != nil {
		o.Search = mcts.Options{}
		o.Teacher.Temperature = schedule(g, selfplay.TeacherOptions{}.WithDefaults().Temperature)
	} else {
		o.Temperature = schedule(g, selfplay.Options{}.WithDefaults().Temperature)
	}
	return o.WithDefaults()
}

// schedule returns a table's temperatures, or the player's own if the table has none.
func schedule(g *loop.Games, own mcts.Schedule) mcts.Schedule {
	return mcts.Schedule{
		Start: cmp.Or(g.Temperature, own.Start), End: cmp.Or(g.TemperatureEnd, own.End), HalfLife: cmp.Or(g.TemperatureHalfLife, own.HalfLife),
	}
}

// Played is a self-play run of a loop: its setup on this machine, and its settings for
// other machines.
type Played struct {
	Setup   selfplay.Setup
	Options selfplay.Options
	Host    selfplay.Host

	Variant  games.VariantOptions
	Player   string        // description
	Net      *networks.Net // nil with a teacher
	Tree     search.TreeSettings
	CacheMiB int
}

// Play implements [loop.Player].
func (w *Worker) Play(ctx context.Context, job loop.PlayJob) error {
	v, err := variantOf(job.Board)
	if err != nil {
		return err
	}
	p, err := readPlayer(&job.Games)
	if err != nil {
		return err
	}
	var net *networks.Net // nil: a classical player plays
	if p.teaching == nil {
		if net, err = w.Loader.Open(v, job.Network.Path); err != nil {
			return err
		}
		defer net.Close()
	}
	p.tree.Solvers.Leaf = net.Leaf(p.tree.Solvers.Leaf)
	o := generate.SelfplayOptions{
		Seed: job.Seed, Capacity: job.AtOnce * p.tree.Search.InFlight, CacheBytes: job.Cache << 20, SolverNodes: p.tree.Solvers.Leaf,
		PolicyTemperature: p.tree.PolicyTemperature, Version: w.Version, Commit: w.Commit,
	}
	var setup selfplay.Setup
	if p.teaching != nil {
		setup, err = generate.TeachingSetup(v, *p.teaching, o)
	} else {
		setup, err = generate.SelfplaySetup(net, o)
	}
	if err != nil {
		return err
	}
	played := Played{
		Setup: setup, Options: p.options(&job.Games, v, job.Seed), Net: net, Player: p.text, Tree: p.tree, CacheMiB: job.Cache,
		Variant: games.VariantOptions{Game: v.Game, Rule: v.Rule(), Size: v.Size, OpenRule: job.Board.OpenRule},
		Host: selfplay.Host{
			Dir: job.Dir, Resume: true, Workers: job.Workers, AtOnce: job.AtOnce, Now: time.Now,
			Progress: func(s selfplay.Summary) { job.Progress(s.OnDisk, s.Of) },
		},
	}
	if w.Run == nil {
		_, err = selfplay.Run(ctx, setup, played.Options, played.Host)
	} else {
		err = w.Run(ctx, played)
	}
	if errors.Is(err, samples.ErrOptions) {
		err = again(job.Dir, err)
	}
	return err
}
