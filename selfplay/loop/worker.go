package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/search"
	"github.com/carozero/carozero/internal/tactics"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// Worker does the work of a loop with this program's games and engines, one thing at a time:
// it plays the self-play games, tests the networks that trainers write, and plays matches
// and runs tests of candidates.
type Worker struct {
	Loader          *networks.Loader
	Version, Commit string // of the program, for the samples
	Program         string // names this build: matches and cross-checks go on only with the same

	// Run plays a self-play run with the same bytes as selfplay.Run, which is the default.
	Run func(ctx context.Context, p *selfplay.Playing, host selfplay.Host) error
}

// Host returns a loop's host that w works for, without clocks and messages.
func (w *Worker) Host() Host {
	return Host{Player: w, Networks: w, Referee: w, Examiner: w, Program: w.Program}
}

// workers returns n, or the number of processors if n is 0.
func workers(n int) int { return cmp.Or(n, runtime.NumCPU()) }

// keyOf names an option by its key in the loop's file.
func keyOf(option string) string {
	if option == "cache" {
		return "cache_mib"
	}
	return strings.ReplaceAll(option, "-", "_")
}

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

// Check implements [Player].
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
		} else if err == nil && b.OpeningPlies == 0 && v.RandomStarts(c.Seed) == nil {
			err = keyErrorf(at+"opening_plies", "0: all games would be the same one: want at least 1, or a file of openings")
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
	return checkCrossCheck(c)
}

// checkCrossCheck checks the settings of the cross-check's engines.
func checkCrossCheck(c *Config) error {
	x := &c.Gate.CrossCheck
	if x.Positions == 0 {
		return nil
	}
	setup, err := crosscheck.ParseSetup(x.MCTS, x.AlphaBeta)
	if err == nil && setup.Model != "" {
		err = fmt.Errorf("mcts: model=%s: it is the loop's networks that are judged", setup.Model)
	}
	for i := 0; i < len(c.Games) && err == nil; i++ {
		var v games.Variant
		if v, err = games.NewVariant(c.Games[i].VariantOptions); err == nil {
			var m option.Memory
			n := workers(c.Workers)
			m.Add(fmt.Sprintf("workers %d", n), setup.Bytes(v, deeper), n)
			m.Add(fmt.Sprintf("cache_mib %d", c.Cache), int64(c.Cache)<<20)
			err = m.Check(option.Machine())
		}
	}
	if err != nil {
		return &KeyError{"gate.crosscheck.mcts", err}
	}
	for _, path := range x.Input {
		if _, err := inputVariant(path); err != nil {
			return &KeyError{"gate.crosscheck.input", err}
		}
	}
	return nil
}

// again adds a hint on what the user can do when a file or a run cannot be resumed.
func again(path string, err error) error {
	return fmt.Errorf("%w; finish it with the program that began it, or remove %s, and it will be made again",
		err, path)
}

// Play implements [Player].
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

// Fetch implements [Networks].
func (w *Worker) Fetch(ctx context.Context, name string, boards []games.VariantOptions) ([]byte, string, error) {
	data, _, err := models.Open(name)
	if errors.Is(err, models.ErrUnknown) {
		data, err = disk.ReadFile(name, networks.MostBytes)
	}
	if err != nil {
		return nil, "", err
	}
	kind, err := w.Try(ctx, name, boards)
	return data, kind, err
}

// Planes implements [Networks].
func (w *Worker) Planes(name string) (string, error) {
	g, err := games.Find(name)
	if err != nil {
		return "", err
	}
	return g.Inputs[0].Version, nil
}

// Try implements [Networks]. The evaluator refuses a result that is not finite.
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

// Match implements [Referee].
func (w *Worker) Match(ctx context.Context, job MatchJob) (none arena.Tally, err error) {
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
		OnResult: func(_ *arena.Result, r arena.Report) { job.Progress(r.Games()) },
	}
	if o.Start, err = v.Start(); err != nil {
		return none, err
	}
	specs := make([]players.PlayerSpec, 2)
	o.Entrants = make([]arena.Entrant, 2)
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
	for _, f := range report.Forfeits {
		if f.Player == nameBest { // a candidate that cannot continue has lost
			return none, again(job.Journal, fmt.Errorf("the best network forfeits game %d: %s", f.Game, f.Text))
		}
	}
	return report.Pairings[0].Tally, nil
}

// deeper is the factor by which both budgets grow when the engines disagree.
const deeper = 4

// perGame is the most positions of a game that are judged.
const perGame = 4

// CrossCheck implements [Examiner].
func (w *Worker) CrossCheck(ctx context.Context, job CrossCheckJob) (score BlunderScore, err error) {
	setup, err := crosscheck.ParseSetup(job.MCTS, job.AlphaBeta)
	if err != nil {
		return score, err
	}
	v, err := inputVariant(job.Source)
	if err != nil {
		return score, err
	}
	net, err := w.Loader.Open(v, job.Network.Path)
	if err != nil {
		return score, err
	}
	defer net.Close()
	var cache *nn.CacheTable
	if job.Cache > 0 && net.Batches() != nil {
		if cache, err = v.CacheTable(job.Cache << 20); err != nil {
			return score, err
		}
	}
	sum, err := crosscheck.Run(ctx, crosscheck.Options{
		Playouts: setup.Playouts, Nodes: setup.Nodes, Deeper: deeper,
		Sampling: crosscheck.Sampling{PerGame: perGame, Limit: job.Positions, Seed: job.Seed},
		Setting: fmt.Sprintf("%s; %s %s %d; model %s; mcts %s; alphabeta %s", w.Program, v.Game, v.Rule(), v.Size,
			net.SHA256, job.MCTS, job.AlphaBeta),
	}, crosscheck.Host{
		Games: func() (*gamefiles.Reader, error) {
			return gamefiles.Open([]string{job.Source}, gamefiles.Options{Variant: v})
		},
		Engines: setup.Builder(net, job.Seed, cache), Workers: job.Workers, Rows: job.Rows, Resume: true,
		Progress: func(s crosscheck.Summary) { job.Progress(s.Positions, s.Of) },
	})
	switch {
	case errors.Is(err, crosscheck.ErrNone):
		return score, nil
	case errors.Is(err, disk.ErrRefused):
		return score, again(job.Rows, err)
	case err != nil:
		return score, err
	}
	score.Positions, score.Blunders, score.Brier = sum.Positions, append([]int{}, sum.Blunders...), sum.Brier
	return score, nil
}

// inputVariant returns the variant of an input's games, or the default variant if it names
// none.
func inputVariant(path string) (games.Variant, error) {
	v, err := games.NewVariant(games.VariantOptions{})
	if err != nil {
		return v, err
	}
	r, err := gamefiles.Open([]string{path}, gamefiles.Options{Variant: v})
	if err != nil {
		return v, err
	}
	defer r.Close()
	if _, err := r.Next(); err != nil && !errors.Is(err, io.EOF) {
		return v, err
	}
	return r.Variant(), nil
}

// Solve implements [Examiner].
func (w *Worker) Solve(
	ctx context.Context, n Network, rules []string, t Tactics, progress func(done, of int),
) (TacticsScore, error) {
	problems, holds, err := suite(rules, t.Problems)
	if err != nil {
		return TacticsScore{}, err
	}
	s := search.SuiteTree{
		Loader: w.Loader, Model: n.Path, Solvers: games.SolverNodes{Leaf: t.Solver}, Playouts: t.Playouts,
	}
	defer s.Close()
	asked := 0
	score, missed, err := tactics.RunMoves(ctx, problems, holds, tactics.JudgeNodes,
		func(rule string, size int, pos game.Position) (tactics.Choice, error) {
			progress(asked, len(problems)+len(holds))
			asked++
			return tactics.ChoiceOf(s.Think(ctx, rule, size, pos))
		})
	return TacticsScore{Wins: score.Wins, Won: score.Won, Holds: score.Holds, Held: score.Held, Missed: missed}, err
}

// suite returns the positions of some rule sets, at most this many of each kind, evenly
// spread; 0 means all.
func suite(rules []string, most int) ([]tactics.Problem, []tactics.Hold, error) {
	problems, err := tactics.Suite()
	holds, err2 := tactics.Holds()
	problems = slices.DeleteFunc(problems, func(p tactics.Problem) bool {
		return !slices.Contains(rules, p.Rule) || p.Outcome != vcf.Win || p.Plies > tactics.LongestWin
	})
	holds = slices.DeleteFunc(holds, func(h tactics.Hold) bool { return !slices.Contains(rules, h.Rule) })
	return spread(problems, most), spread(holds, most), errors.Join(err, err2)
}

// spread returns at most this many items, evenly spread; 0 means all.
func spread[T any](items []T, most int) []T {
	if most == 0 || len(items) <= most {
		return items
	}
	out := make([]T, most)
	for i := range out {
		out[i] = items[i*len(items)/most]
	}
	return out
}
