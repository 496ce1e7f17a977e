package games

import (
	"context"

	onitamasearch "github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/mcts"
)

// newOnitamaSolvers returns the solvers of Onitama.
func newOnitamaSolvers(n SolverNodes) mcts.Solver { return &onitamaSolvers{budget: n} }

// onitamaSolvers implements [mcts.Solver] with short wins by all moves. Once its context
// has ended a method returns within 1024 moves.
type onitamaSolvers struct {
	budget SolverNodes
	prover onitamasearch.Prover
	played int // moves, at roots
}

// Leaf implements [mcts.Solver].
func (s *onitamaSolvers) Leaf(ctx context.Context, pos game.Position) mcts.Solution {
	w, _ := s.win(ctx, pos, s.budget.Leaf)
	return w
}

// Root implements [mcts.Solver].
func (s *onitamaSolvers) Root(ctx context.Context, pos game.Position) mcts.Solution {
	w, nodes := s.win(ctx, pos, s.budget.Root)
	s.played += nodes
	return w
}

// Refute implements [mcts.Solver].
func (s *onitamaSolvers) Refute(ctx context.Context, pos game.Position, moves []game.Move, wins []mcts.Solution) {
	for i, m := range moves {
		wins[i] = s.after(ctx, pos, m, s.budget.Replies)
	}
}

// Audit implements [mcts.Solver] with the budget of Root.
func (s *onitamaSolvers) Audit(ctx context.Context, pos game.Position, m game.Move) mcts.Solution {
	return s.after(ctx, pos, m, s.budget.Root)
}

// after looks for a win of the side to move after m.
func (s *onitamaSolvers) after(ctx context.Context, pos game.Position, m game.Move, nodes int) mcts.Solution {
	pos.Play(m)
	defer pos.Undo()
	if pos.Outcome() != game.Undecided {
		return mcts.Solution{}
	}
	w, played := s.win(ctx, pos, nodes)
	s.played += played
	return w
}

// win looks for a win of the side to move, within so many moves.
func (s *onitamaSolvers) win(ctx context.Context, pos game.Position, nodes int) (w mcts.Solution, played int) {
	b, ok := pos.(*onitama.Board)
	if !ok || nodes <= 0 || ctx.Err() != nil {
		return w, 0
	}
	m := s.prover.Prove(ctx, b, nodes)
	if m.Plies == 0 {
		return w, m.Nodes
	}
	return mcts.Solution{Proof: mcts.Win, Move: m.Move, Plies: m.Plies}, m.Nodes
}

// RootNodes implements [mcts.Solver].
func (s *onitamaSolvers) RootNodes() int { return s.played }
