package games

import (
	"context"

	gomokusearch "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/mcts"
)

// newSolvers returns the solvers of gomoku.
func newSolvers(n SolverNodes) mcts.Solver {
	s := &solvers{budget: n, root: vcf.New(vcf.Options{})}
	if n.Leaf > 0 {
		s.leaf = vcf.NewProver(n.Leaf, vcf.Options{})
	}
	return s
}

// solvers implements [mcts.Solver] with those of continuous fours and threats.
// Once its context has ended a method returns within 1024 moves.
type solvers struct {
	budget SolverNodes
	leaf   *vcf.Prover // nil: off
	root   *vcf.Solver
	played int // moves, at roots
}

// Leaf implements [mcts.Solver].
func (s *solvers) Leaf(ctx context.Context, pos game.Position) mcts.Solution {
	if s.leaf == nil || ctx.Err() != nil {
		return mcts.Solution{}
	}
	if b, ok := pos.(*pattern.Board); ok && fourless(b) {
		return mcts.Solution{}
	}
	m, plies, ok := s.leaf.Prove(pos)
	if !ok {
		return mcts.Solution{}
	}
	return mcts.Solution{Proof: mcts.Win, Move: m, Plies: plies}
}

// fourless reports whether the side to move has no stone that makes a five or a
// four, so that there is nothing for a solver to begin with. Where captures count
// it never says so.
func fourless(b *pattern.Board) bool {
	side := b.ToMove()
	return !b.Board().Rules().Captures &&
		b.Count(side, pattern.Five)+b.Count(side, pattern.OpenFour)+b.Count(side, pattern.DoubleFour)+
			b.Count(side, pattern.FourThree)+b.Count(side, pattern.Four)+b.Count(side, pattern.Suspect) == 0
}

// Root implements [mcts.Solver].
func (s *solvers) Root(ctx context.Context, pos game.Position) mcts.Solution {
	board := patterns(pos)
	if s.budget.Root == 0 || board == nil {
		return mcts.Solution{}
	}
	return s.win(ctx, board)
}

// Audit implements [mcts.Solver] with the budget of Root.
func (s *solvers) Audit(ctx context.Context, pos game.Position, m game.Move) mcts.Solution {
	board := patterns(pos)
	if s.budget.Root == 0 || board == nil {
		return mcts.Solution{}
	}
	board.Play(m)
	defer board.Undo()
	if board.Outcome() != game.Undecided {
		return mcts.Solution{}
	}
	return s.win(ctx, board)
}

// win looks for a forced win of the side to move. Fours alone are cheap to search
// deep and come first.
func (s *solvers) win(ctx context.Context, board *pattern.Board) mcts.Solution {
	for _, kind := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		if w := s.solve(ctx, board, kind, s.budget.Root); w.Found() {
			return w
		}
	}
	return mcts.Solution{}
}

// solve looks for a win of one kind.
func (s *solvers) solve(ctx context.Context, board *pattern.Board, kind vcf.Kind, nodes int) mcts.Solution {
	r := s.root.Solve(ctx, board, kind, nodes)
	s.played += r.Nodes
	if r.Outcome != vcf.Win {
		return mcts.Solution{}
	}
	return mcts.Solution{Proof: mcts.Win, Move: r.Line[0], Plies: r.Plies}
}

// Refute implements [mcts.Solver].
func (s *solvers) Refute(ctx context.Context, pos game.Position, moves []game.Move, wins []mcts.Solution) {
	board := patterns(pos)
	if s.budget.Replies == 0 || board == nil {
		return
	}
	for i, m := range moves {
		board.Play(m)
		if board.Outcome() == game.Undecided {
			wins[i] = s.solve(ctx, board, vcf.VCF, s.budget.Replies)
		}
		board.Undo()
	}
}

// gomokuResistance ranks lost moves as the classical search does.
func gomokuResistance(pos game.Position, moves []game.Move, ranks []int8) {
	board := patterns(pos)
	for i, m := range moves {
		ranks[i] = int8(gomokusearch.Resist(board, m))
	}
}

// RootNodes implements [mcts.Solver].
func (s *solvers) RootNodes() int { return s.played }
