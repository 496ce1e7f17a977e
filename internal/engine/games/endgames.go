package games

import (
	"context"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
)

// Endgames are positions of a game that were solved before. Several goroutines may
// use them; each has positions of its own.
type Endgames interface {
	// Suits returns nil if positions that may follow pos are among them, or says why
	// not.
	Suits(pos game.Position) error

	// Win returns the shortest win of the side to move in an undecided position, the
	// zero value if there is none or it is not known. pos is the same afterwards.
	Win(pos game.Position) mcts.ForcedWin

	// Close frees what the endgames hold. It returns the first error of reading, after
	// which no win was known.
	Close() error
}

// endgameSolver implements [mcts.Solver] with solved endgames.
type endgameSolver struct {
	of     Endgames
	played int
}

// EndgameSolver returns a solver for one searcher that looks positions up, whatever
// the budgets of others are.
func EndgameSolver(of Endgames) mcts.Solver { return &endgameSolver{of: of} }

// Leaf implements [mcts.Solver].
func (s *endgameSolver) Leaf(_ context.Context, pos game.Position) mcts.ForcedWin {
	return s.of.Win(pos)
}

// Root implements [mcts.Solver].
func (s *endgameSolver) Root(_ context.Context, pos game.Position) mcts.ForcedWin {
	return s.of.Win(pos)
}

// Refute implements [mcts.Solver].
func (s *endgameSolver) Refute(ctx context.Context, pos game.Position, moves []game.Move, wins []mcts.ForcedWin) {
	for i, m := range moves {
		wins[i] = s.Audit(ctx, pos, m)
	}
}

// Audit implements [mcts.Solver].
func (s *endgameSolver) Audit(_ context.Context, pos game.Position, m game.Move) mcts.ForcedWin {
	pos.Play(m)
	defer pos.Undo()
	s.played++
	if pos.Outcome() != game.Undecided {
		return mcts.ForcedWin{}
	}
	return s.of.Win(pos)
}

// RootNodes implements [mcts.Solver].
func (s *endgameSolver) RootNodes() int { return s.played }

// withEndgames is a game for the classical search that knows endgames besides.
type withEndgames struct {
	alphabeta.Game
	of Endgames
}

// Bind implements [alphabeta.Game]. The endgames take the place of a solver that the
// game has.
func (g withEndgames) Bind(pos game.Position) (alphabeta.Heuristics, error) {
	h, err := g.Game.Bind(pos)
	if err == nil {
		h.Solver, h.SolverShare = &endgameLookup{g.of, h.Position}, 0
	}
	return h, err
}

// endgameLookup implements [alphabeta.Solver] with solved endgames.
type endgameLookup struct {
	of  Endgames
	pos game.Position
}

// Solve implements [alphabeta.Solver]. It counts no nodes, since it searches nothing.
func (l *endgameLookup) Solve(int, int) alphabeta.Solution {
	w := l.of.Win(l.pos)
	return alphabeta.Solution{Won: w.Found(), Move: w.Move, Plies: w.Plies}
}
