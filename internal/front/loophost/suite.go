package loophost

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/tactics"
	"github.com/carozero/carozero/selfplay/loop"
)

// Solve implements [loop.Examiner].
func (w *Worker) Solve(ctx context.Context, n loop.Network, rules []string, t loop.Tactics, progress func(done, of int)) (loop.TacticsScore, error) {
	problems, holds, err := suite(rules, t.Problems)
	if err != nil {
		return loop.TacticsScore{}, err
	}
	s := search.SuiteTree{Loader: w.Loader, Model: n.Path, Solvers: games.SolverNodes{Leaf: t.Solver}, Playouts: t.Playouts}
	defer s.Close()
	asked := 0
	score, missed, err := tactics.RunMoves(ctx, problems, holds, tactics.JudgeNodes, func(rule string, size int, pos game.Position) (tactics.Choice, error) {
		progress(asked, len(problems)+len(holds))
		asked++
		return tactics.ChoiceOf(s.Think(ctx, rule, size, pos))
	})
	return loop.TacticsScore{Wins: score.Wins, Won: score.Won, Holds: score.Holds, Held: score.Held, Missed: missed}, err
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
