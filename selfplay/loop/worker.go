package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// Worker does the work of a loop with this program's games and engines, one thing at a time:
// it plays the self-play games and matches, and tries the networks that trainers write.
type Worker struct {
	Loader          *networks.Loader
	Version, Commit string // of the program, for the samples
	Program         string // names this build: matches go on only with the same

	// Run plays a self-play run with the same bytes as selfplay.Run, which is the default.
	Run func(ctx context.Context, p *selfplay.Playing, host selfplay.Host) error
}

// workers returns n, or the number of processors if n is 0.
func workers(n int) int { return cmp.Or(n, runtime.NumCPU()) }

// settle fills in a board's defaults.
func settle(b *games.VariantOptions, at string) (games.Variant, error) {
	v, err := games.NewVariant(*b)
	key := "rule"
	if wrong, ok := errors.AsType[*games.OptionError](err); ok {
		key, err = keyOf(wrong.Options[0]), errors.New(wrong.Naming(keyOf))
	}
	if err != nil {
		return v, &KeyError{at + key, err}
	}
	*b = v.Options()
	return v, nil
}

// Check implements [Engine].
func (w *Worker) Check(c *Config) error {
	for i := range c.Games {
		g, at := &c.Games[i], fmt.Sprintf("games[%d].", i+1)
		v, err := settle(&g.VariantOptions, at)
		if err != nil {
			return err
		}
		key := at + "player"
		run, err := w.run(g, v, 0)
		if err == nil {
			err = run.CheckMemory(v, workers(c.Workers), c.AtOnce, c.Cache, keyOf)
		}
		if err == nil {
			key, err = strings.TrimSuffix(at, "."), run.Check(v, keyOf)
		}
		if err != nil {
			return &KeyError{key, err}
		}
	}
	for i := range c.Gate.Boards {
		b, at := &c.Gate.Boards[i], fmt.Sprintf("gate.boards[%d].", i+1)
		v, err := settle(&b.VariantOptions, at)
		if err == nil && b.Openings != "" {
			if _, err = players.ReadOpenings(v, b.Openings); err != nil {
				err = &KeyError{at + "openings", err}
			}
		}
		if err != nil {
			return err
		}
	}
	for _, b := range c.MatchBoards() {
		v, err := games.NewVariant(b.VariantOptions)
		if err != nil {
			return err
		}
		candidate, err := treePlayer(c.Gate.Playouts, "candidate")
		best, err2 := treePlayer(c.Gate.Playouts, nameBest)
		if err = errors.Join(err, err2); err == nil {
			err = players.CheckPlayers(v, []players.PlayerSpec{candidate, best}, workers(c.Workers), c.Cache, keyOf)
		}
		if err != nil {
			return &KeyError{"gate.playouts", err}
		}
	}
	return nil
}

// again adds a hint on what the user can do when a file or a run cannot be resumed.
func again(path string, err error) error {
	return fmt.Errorf("%w; finish it with the program that began it, or remove %s, and it will be made again",
		err, path)
}

// Play implements [Engine].
func (w *Worker) Play(ctx context.Context, job PlayJob) error {
	v, err := games.NewVariant(job.VariantOptions)
	if err != nil {
		return err
	}
	run, err := w.run(&job.Games, v, job.Seed)
	if err != nil {
		return err
	}
	p, err := run.Open(selfplay.Machine{
		Loader: w.Loader, Model: job.Network.Path, CacheMiB: job.Cache,
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

// Fetch implements [Engine].
func (w *Worker) Fetch(ctx context.Context, name string, boards []games.VariantOptions) ([]byte, string, error) {
	data, err := networks.ReadFile(name)
	if err != nil {
		return nil, "", err
	}
	kind, err := w.Try(ctx, name, boards)
	return data, kind, err
}

// Try implements [Engine]. The evaluator refuses a result that is not finite.
func (w *Worker) Try(ctx context.Context, path string, boards []games.VariantOptions) (kind string, err error) {
	for i, b := range boards {
		v, err := games.NewVariant(b)
		if err != nil {
			return "", err
		}
		net, err := w.Loader.Open(v, path)
		if err == nil {
			kind = net.Kind()
			err = errors.Join(net.Try(ctx, uint64(i)), net.Close())
		}
		if err != nil {
			return "", fmt.Errorf("on %s: %w", v, err)
		}
	}
	return kind, nil
}

// treePlayer describes a player of a match.
func treePlayer(playouts int, model string) (players.PlayerSpec, error) {
	return players.ParsePlayer(players.Spec{
		Kind: players.MCTS, Args: players.Args{
			{Key: "playouts", Value: fmt.Sprint(playouts)}, {Key: "model", Value: model},
		},
	})
}

// nameBest is the name of the best network in a match.
const nameBest = "best"

// Match implements [Engine].
func (w *Worker) Match(ctx context.Context, job MatchJob) (none arena.Report, err error) {
	v, err := games.NewVariant(job.VariantOptions)
	if err != nil {
		return none, err
	}
	entrants := players.NewPlayers(w.Loader, v, job.Seed, job.Cache<<20)
	defer entrants.Close()
	o := arena.Options{
		Games: job.Games, Notation: v.Notation(), Seed: job.Seed, Workers: job.Workers, MaxPlies: v.Of().MoveLimit,
		Setting: fmt.Sprintf("%s %s %d %v", v.Game, v.Rule(), v.Size, v.OpenRule),
		Program: w.Program, Journal: job.Journal,
		OnResult: func(_ *arena.Result, r arena.Report) { job.Progress(r.Games) },
	}
	if o.Start, err = v.Start(); err != nil {
		return none, err
	}
	specs := make([]players.PlayerSpec, 2)
	for i, net := range []Network{job.Candidate, job.Best} {
		if specs[i], err = treePlayer(job.Playouts, net.Path); err == nil {
			o.Entrants[i], err = entrants.Entrant(specs[i])
		}
		if err != nil {
			return none, err
		}
		// The path is not part of it: the directory may be moved before the match resumes.
		o.Entrants[i].Description = fmt.Sprintf("mcts:playouts=%d", job.Playouts)
		o.Entrants[i].Name = []string{"candidate", nameBest}[i]
	}
	if job.Openings != "" { // from the usual start
		o.Openings, err = players.ReadOpenings(v, job.Openings)
	} else {
		var random *arena.RandomOpenings
		if o.Starts = v.RandomStarts(job.Seed); o.Starts != nil {
			o.Setting += " dealt"
		}
		if random, err = entrants.RandomOpenings(specs, job.OpeningPlies, job.Seed); err == nil {
			random.Starts, o.Openings = o.Starts, random
		}
	}
	if err != nil {
		return none, err
	}
	match, err := arena.New(o)
	if err != nil {
		return none, err
	}
	report, err := match.Run(ctx)
	if err != nil {
		if ctx.Err() == nil {
			err = again(job.Journal, err)
		}
		return none, err
	}
	for _, f := range report.Forfeited {
		if f.Player == nameBest { // a candidate that cannot continue has lost
			return none, again(job.Journal, fmt.Errorf("the best network forfeits game %d: %s", f.Game, f.Text))
		}
	}
	return report, nil
}
