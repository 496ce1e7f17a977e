package loophost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/generate"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/search"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/loop"
	"github.com/carozero/carozero/selfplay/samples"
)

// workers returns n, or the number of processors if n is 0.
func workers(n int) int { return cmp.Or(n, runtime.NumCPU()) }

// options returns the options of a run of a table's games.
func (p *player) options(g *loop.Games, v games.Variant, seed uint64) selfplay.Options {
	o := g.Options
	o.Seed, o.Playouts, o.MaxPlies = seed, p.playouts, cmp.Or(o.MaxPlies, v.Of().MoveLimit)
	if p.teaching != nil {
		o.Teacher.Temperature = schedule(o.Temperature, selfplay.TeacherOptions{}.WithDefaults().Temperature)
		o.Temperature = mcts.Schedule{}
	} else {
		o.Search = p.tree.Search
		o.Temperature = schedule(o.Temperature, selfplay.Options{}.WithDefaults().Temperature)
	}
	return o.WithDefaults()
}

// schedule returns a table's temperatures, each the player's own if the table has none.
func schedule(table, own mcts.Schedule) mcts.Schedule {
	return mcts.Schedule{
		Start: cmp.Or(table.Start, own.Start), End: cmp.Or(table.End, own.End), HalfLife: cmp.Or(table.HalfLife, own.HalfLife),
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

// player holds the settings of a table's player.
type player struct {
	text     string
	teaching *generate.Teaching // nil: the tree search plays

	playouts int
	tree     search.TreeSettings
}

// Defaults of the tree search's games, those of the command selfplay.
const (
	gamePlayouts = 200
	gameTreeMiB  = 16
)

// readPlayer reads the description of a table's player.
func readPlayer(g *loop.Games) (player, error) {
	p := player{text: g.Player, playouts: gamePlayouts, tree: search.DefaultTreeSettings(gameTreeMiB)}
	spec, err := players.ParseSpec(g.Player)
	if err != nil {
		return p, err
	}
	switch spec.Kind {
	case players.AlphaBeta:
		t, err := generate.ParseTeaching(spec)
		if err == nil && (g.Targets.Forced > 0 || g.Targets.Gumbel.Considered > 0) {
			err = fmt.Errorf("%q: forced_playouts and gumbel are of mcts", g.Player)
		}
		p.teaching = &t
		return p, err
	case players.MCTS:
		return p, p.readTree(spec)
	}
	return p, fmt.Errorf("%q: want mcts or alphabeta", g.Player)
}

// treeSettings are what an mcts player of a table may set.
var treeSettings = append(
	[]option.Setting[player]{option.NumVar(option.Playouts.Above(2), func(p *player) *int { return &p.playouts })},
	option.Within(search.GameSettings, func(p *player) *search.TreeSettings { return &p.tree })...)

// readTree reads the arguments of an mcts player.
func (p *player) readTree(spec players.Spec) error {
	if err := players.ReadArgs(treeSettings, spec.Args, p); err != nil {
		return fmt.Errorf("%q: %w; the network is the loop's best", p.text, err)
	}
	p.tree.Search = p.tree.Search.WithDefaults() // of what was set to 0
	return nil
}

// checkMemory refuses more games at once than there is memory for.
func (p *player) checkMemory(v games.Variant, workers, atOnce, cacheMiB int) error {
	var m option.Memory
	if p.teaching != nil {
		m.Add(fmt.Sprintf("workers %d, player %s", workers, p.text), p.teaching.Bytes(v), workers)
		return m.Check(option.Machine())
	}
	m.Add(fmt.Sprintf("workers %d, at_once %d, player %s", workers, atOnce, p.text), v.TreeBytes(p.playouts, p.tree.MemoryMiB()), workers, atOnce)
	m.Add("", v.RowBytes(), workers, atOnce, p.tree.Search.InFlight)
	m.Add(fmt.Sprintf("cache_mib %d", cacheMiB), int64(cacheMiB)<<20)
	return m.Check(option.Machine())
}
