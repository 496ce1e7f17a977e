package rounds

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/bounded"
	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/positions"
	"github.com/carozero/carozero/internal/tactics"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/loop"
)

// again adds to an error what can be done about a file or a run that cannot be gone
// on with.
func again(path string, err error) error {
	return fmt.Errorf("%w; finish it with the program that began it, or remove %s, and it will be made again", err, path)
}

// balanced is how far, in expected result, random openings may be from even.
const balanced = 0.3

// treeSpec describes a player of a match.
func treeSpec(playouts int, model string) arena.Spec {
	return arena.Spec{Kind: arena.MCTS, Args: arena.Args{{Key: "playouts", Value: fmt.Sprint(playouts)}, {Key: "model", Value: model}}}
}

// nameBest is what the best network is called in a match.
const nameBest = "best"

// Match implements [loop.Referee].
func (w *Worker) Match(ctx context.Context, job loop.MatchJob) (arena.Tally, error) {
	v, err := variantOf(job.Board)
	if err != nil {
		return arena.Tally{}, err
	}
	players := engine.NewPlayers(w.Loader, v, job.Seed, job.Cache<<20)
	defer players.Close()
	o := arena.Options{
		Games: job.Games, Notation: v.Notation(), Seed: job.Seed, Workers: job.Workers, MaxPlies: v.Of().MoveLimit,
		Setting: fmt.Sprintf("%s %s %d %v", v.Game, v.Rule(), v.Size, v.OpenRule), Program: w.Program, Journal: job.Journal,
		OnResult: func(_ *arena.Result, r arena.Report) { job.Progress(r.Games()) },
	}
	if o.Start, err = v.Start(); err != nil {
		return arena.Tally{}, err
	}
	var specs []arena.Spec
	for _, e := range []struct {
		name string
		net  loop.Network
	}{{"candidate", job.Candidate}, {nameBest, job.Best}} {
		spec := treeSpec(job.Playouts, e.net.Path)
		entrant, err := players.Entrant(spec)
		if err != nil {
			return arena.Tally{}, err
		}
		// The directory may move while the match goes on.
		entrant.Name, entrant.Description = e.name, fmt.Sprintf("mcts:playouts=%d", job.Playouts)
		o.Entrants = append(o.Entrants, entrant)
		specs = append(specs, spec)
	}
	if o.Openings, err = openings(v, &job, players, specs, o); err != nil {
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
		if f.Player == nameBest { // a candidate that cannot go on has lost
			return arena.Tally{}, again(job.Journal, fmt.Errorf("the best network forfeits game %d: %s", f.Game, f.Text))
		}
	}
	return report.Pairings[0].Tally, nil
}

// openings returns those of a match's board.
func openings(v engine.Variant, job *loop.MatchJob, players *engine.Players, specs []arena.Spec, o arena.Options) (arena.Openings, error) {
	if job.Openings != "" {
		return readOpenings(v, job.Openings)
	}
	balance, err := players.Balance(specs)
	if err != nil {
		return nil, err
	}
	return &arena.RandomOpenings{
		Start: o.Start, Plies: job.OpeningPlies, Seed: job.Seed, Balance: balance, Tolerance: balanced, Candidates: v.Candidates(),
	}, nil
}

// readOpenings reads a file of openings.
func readOpenings(v engine.Variant, path string) (arena.OpeningList, error) {
	file, err := bounded.Open(path)
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

// judgeNodes is the budget of the judge of moves in the suite, for a reply.
const judgeNodes = 200_000

// Solve implements [loop.Examiner].
func (w *Worker) Solve(ctx context.Context, n loop.Network, rules []string, t loop.Tactics, progress func(done, of int)) (loop.TacticsScore, error) {
	problems, holds, err := suite(rules, t.Problems)
	if err != nil {
		return loop.TacticsScore{}, err
	}
	s := solver{worker: w, network: n.Path, nodes: engine.SolverNodes{Leaf: t.Solver}, playouts: t.Playouts}
	defer s.close()
	asked := 0
	score, missed, err := tactics.RunMoves(ctx, problems, holds, judgeNodes, func(b *gomoku.Board) (tactics.Choice, error) {
		progress(asked, len(problems)+len(holds))
		asked++
		return s.choose(ctx, b)
	})
	return loop.TacticsScore{Wins: score.Wins, Won: score.Won, Holds: score.Holds, Held: score.Held, Missed: missed}, err
}

// suite returns the positions of some rule sets, at most so many of each kind,
// spread evenly; 0 is all.
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

// spread returns at most so many of the items that are wanted, evenly spread; 0 is
// all.
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

// solver searches positions of any rule set with one network, which is open for
// one rule set and size at a time.
type solver struct {
	worker   *Worker
	network  string
	nodes    engine.SolverNodes
	playouts int

	rule     string
	size     int
	net      *engine.Net
	searcher *mcts.Searcher
	result   mcts.Result
}

// choose returns the search's move on b.
func (s *solver) choose(ctx context.Context, b *gomoku.Board) (tactics.Choice, error) {
	if err := s.open(b); err != nil {
		return tactics.Choice{}, err
	}
	if err := s.searcher.SetPosition(s.net.Variant().Searchable(b)); err != nil {
		return tactics.Choice{}, err
	}
	if err := s.searcher.Search(ctx, mcts.Limits{Playouts: s.playouts}); err != nil {
		return tactics.Choice{}, err
	}
	s.searcher.Result(&s.result)
	return tactics.Choice{Move: s.result.Move, Playouts: s.result.Playouts, SolverNodes: s.result.SolverNodes}, nil
}

// open makes ready for a board's rule set and size.
func (s *solver) open(b *gomoku.Board) error {
	if s.net != nil && s.rule == b.Rules().Name && s.size == b.Size() {
		return nil
	}
	v, err := engine.NewVariant(engine.VariantOptions{Rule: b.Rules().Name, Size: b.Size()})
	if err != nil {
		return err
	}
	s.net, err = s.worker.Loader.Reopen(s.net, v, s.network)
	if err != nil {
		s.net = nil
		return err
	}
	eval, err := s.net.Evaluator(engine.EvalOptions{Seed: 1})
	if err != nil {
		return err
	}
	s.rule, s.size = v.Rule(), v.Size
	s.searcher = mcts.New(mcts.Options{}, eval, v.Solvers(s.nodes))
	return nil
}

// close frees the network.
func (s *solver) close() {
	if s.net != nil {
		_ = s.net.Close()
		s.net = nil
	}
}

// deeper is how many times their budgets both engines get where they differ.
const deeper = 4

// perGame is how many positions of a game are judged at most.
const perGame = 4

// Judge implements [loop.Examiner].
func (w *Worker) Judge(ctx context.Context, job loop.JudgeJob) (loop.BlunderScore, error) {
	var score loop.BlunderScore
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
	if job.Cache > 0 && net.Network() != nil {
		if cache, err = v.CacheTable(job.Cache << 20); err != nil {
			return score, err
		}
	}
	findings, err := crosscheck.Run(ctx, crosscheck.Options{
		Playouts: setup.Playouts, Nodes: setup.Nodes, Deeper: deeper,
		Sampling: crosscheck.Sampling{PerGame: perGame, Limit: job.Positions, Seed: job.Seed},
		Setting:  fmt.Sprintf("%s; %s %s %d; model %s; mcts %s; alphabeta %s", w.Program, v.Game, v.Rule(), v.Size, net.SHA256, job.MCTS, job.AlphaBeta),
	}, crosscheck.Host{
		Games: func() (*positions.Reader, error) {
			return positions.Open([]string{job.Source}, positions.Options{Variant: v})
		},
		Engines: setup.Builder(net, job.Seed, cache), Workers: job.Workers, Rows: job.Rows, Resume: true,
		Progress: func(s crosscheck.Summary) { job.Progress(s.Positions, s.Of) },
	})
	if errors.Is(err, crosscheck.ErrNone) {
		return score, nil
	}
	if errors.Is(err, crosscheck.ErrRows) {
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

// settleInput returns the variant of an input's games, the usual one where they
// name none.
func settleInput(path string) (engine.Variant, error) {
	v, err := engine.NewVariant(engine.VariantOptions{})
	if err != nil {
		return v, err
	}
	r, err := positions.Open([]string{path}, positions.Options{Variant: v})
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
	file, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	list := []int{}
	lines := bounded.NewLines(file, mostRow, mostRows)
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
