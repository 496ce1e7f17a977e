package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/search"
	"github.com/carozero/carozero/internal/tactics"
	"github.com/carozero/carozero/nn"
)

// again adds a hint on what the user can do when a file or a run cannot be resumed.
func again(path string, err error) error {
	return fmt.Errorf("%w; finish it with the program that began it, or remove %s, and it will be made again",
		err, path)
}

// balanced is how far, in expected result, random openings may be from even.
const balanced = 0.3

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
func (w *Worker) Match(ctx context.Context, job MatchJob) (arena.Tally, error) {
	v, err := variantOf(job.Board)
	if err != nil {
		return arena.Tally{}, err
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
		return arena.Tally{}, err
	}
	if job.Openings == "" { // those of a file are from the usual start
		if o.Starts = v.RandomStarts(job.Seed); o.Starts != nil {
			o.Setting += " dealt"
		}
	}
	var specs []players.PlayerSpec
	for _, e := range []struct {
		name string
		net  Network
	}{{"candidate", job.Candidate}, {nameBest, job.Best}} {
		spec, err := treePlayer(job.Playouts, e.net.Path)
		if err != nil {
			return arena.Tally{}, err
		}
		entrant, err := entrants.Entrant(spec)
		if err != nil {
			return arena.Tally{}, err
		}
		// The path is not part of it: the directory may be moved before the match resumes.
		entrant.Name, entrant.Description = e.name, fmt.Sprintf("mcts:playouts=%d", job.Playouts)
		o.Entrants = append(o.Entrants, entrant)
		specs = append(specs, spec)
	}
	if o.Openings, err = openings(v, &job, entrants, specs, o); err != nil {
		return arena.Tally{}, err
	}
	match, err := arena.New(o)
	if err != nil {
		return arena.Tally{}, err
	}
	report, err := match.Run(ctx)
	if err != nil {
		if ctx.Err() == nil {
			err = again(job.Journal, err)
		}
		return arena.Tally{}, err
	}
	for _, f := range report.Forfeits {
		if f.Player == nameBest { // a candidate that cannot continue has lost
			return arena.Tally{}, again(job.Journal,
				fmt.Errorf("the best network forfeits game %d: %s", f.Game, f.Text))
		}
	}
	return report.Pairings[0].Tally, nil
}

// openings returns the openings of a match's board.
func openings(
	v games.Variant, job *MatchJob, entrants *players.Players, specs []players.PlayerSpec, o arena.Options,
) (arena.Openings, error) {
	if job.Openings != "" {
		return readOpenings(v, job.Openings)
	}
	balance, err := entrants.Balance(specs)
	if err != nil {
		return nil, err
	}
	return &arena.RandomOpenings{
		Start: o.Start, Starts: o.Starts, Plies: job.OpeningPlies, Seed: job.Seed,
		Balance: balance, Tolerance: balanced, Candidates: v.Candidates(),
	}, nil
}

// readOpenings reads a file of openings.
func readOpenings(v games.Variant, path string) (arena.OpeningList, error) {
	file, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	start, err := v.Start()
	if err != nil {
		return nil, err
	}
	list, err := arena.ReadOpenings(file, start, arena.OpeningParser(v.Notation(), v.Columns()))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// deeper is the factor by which both budgets grow when the engines disagree.
const deeper = 4

// perGame is the most positions of a game that are judged.
const perGame = 4

// CrossCheck implements [Examiner].
func (w *Worker) CrossCheck(ctx context.Context, job CrossCheckJob) (BlunderScore, error) {
	var score BlunderScore
	setup, err := crosscheck.ParseSetup(job.MCTS, job.AlphaBeta)
	if err != nil {
		return score, err
	}
	v, err := settleInput(job.Source)
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
	findings, err := crosscheck.Run(ctx, crosscheck.Options{
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
	if errors.Is(err, crosscheck.ErrNone) {
		return score, nil
	}
	if errors.Is(err, disk.ErrRefused) {
		err = again(job.Rows, err)
	}
	if err != nil {
		return score, err
	}
	sum := findings.Summary()
	score.Positions = sum.Positions
	for _, c := range sum.Calibration {
		if c.Of == "network" {
			score.Brier = c.Brier
		}
	}
	score.Blunders, err = blunders(job.Rows)
	return score, err
}

// settleInput returns the variant of an input's games, or the default variant if it names
// none.
func settleInput(path string) (games.Variant, error) {
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

// Bounds on a file of rows.
const (
	mostRow  = 4 << 20
	mostRows = 100_000_000
)

// blunders returns the positions of a file of rows in which the tree search's move
// is a proven blunder.
func blunders(path string) ([]int, error) {
	file, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	list := []int{}
	lines := disk.NewLines(file, mostRow, mostRows)
	for text, ok := lines.Next(); ok; text, ok = lines.Next() {
		var row crosscheck.Row
		if err := json.Unmarshal([]byte(text), &row); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, lines.Number(), err)
		}
		if row.MCTSBlunder != "" {
			list = append(list, row.Index)
		}
	}
	return list, lines.Err()
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
	all, err := tactics.Suite()
	if err != nil {
		return nil, nil, err
	}
	allHolds, err := tactics.Holds()
	if err != nil {
		return nil, nil, err
	}
	played := map[string]bool{}
	for _, r := range rules {
		played[r] = true
	}
	problems := spread(all, most, func(p tactics.Problem) bool {
		return played[p.Rule] && p.Outcome == vcf.Win && p.Plies <= tactics.LongestWin
	})
	return problems, spread(allHolds, most, func(h tactics.Hold) bool { return played[h.Rule] }), nil
}

// spread returns at most this many of the wanted items, evenly spread; 0 means all.
func spread[T any](items []T, most int, wanted func(T) bool) []T {
	var list []T
	for _, item := range items {
		if wanted(item) {
			list = append(list, item)
		}
	}
	if most == 0 || len(list) <= most {
		return list
	}
	out := make([]T, most)
	for i := range out {
		out[i] = list[i*len(list)/most]
	}
	return out
}
