package rounds

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/tactics"
	"github.com/carozero/carozero/internal/think"
	"github.com/carozero/carozero/selfplay/loop"
)

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
	score, missed, err := tactics.RunMoves(ctx, problems, holds, judgeNodes, func(rule string, size int, pos game.Position) (tactics.Choice, error) {
		progress(asked, len(problems)+len(holds))
		asked++
		return s.choose(ctx, rule, size, pos)
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

	rule string
	size int
	net  *engine.Net
	tree *engine.Tree
}

// choose returns the search's move in a position of a rule set.
func (s *solver) choose(ctx context.Context, rule string, size int, pos game.Position) (tactics.Choice, error) {
	if err := s.open(rule, size); err != nil {
		return tactics.Choice{}, err
	}
	a, err := think.Complete(ctx, s.tree, pos, think.Limits{Nodes: int64(s.playouts)})
	if err != nil {
		return tactics.Choice{}, err
	}
	return tactics.Choice{Move: a.Move, Playouts: int(a.Stats.Nodes), SolverNodes: int(a.Stats.SolverNodes)}, nil
}

// open makes ready for a rule set and a size of the board.
func (s *solver) open(rule string, size int) error {
	if s.net != nil && s.rule == rule && s.size == size {
		return nil
	}
	v, err := engine.NewVariant(engine.VariantOptions{Rule: rule, Size: size})
	if err != nil {
		return err
	}
	s.net, err = s.worker.Loader.Reopen(s.net, v, s.network)
	if err != nil {
		s.net = nil
		return err
	}
	s.rule, s.size = v.Rule(), v.Size
	s.tree, err = engine.NewTree(s.net, engine.TreeOptions{Solvers: s.nodes, Eval: engine.EvalOptions{Seed: 1}})
	return err
}

// close frees the network.
func (s *solver) close() {
	if s.net != nil {
		_ = s.net.Close()
		s.net = nil
	}
}
