package engine

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/mcts"
)

// SolverNodes are the budgets, in moves played, of the solvers that prove
// forced wins for a tree search. Zero turns a solver off.
type SolverNodes struct {
	Leaf    int `json:"leaf"`    // continuous fours, at each leaf
	Root    int `json:"root"`    // continuous fours, then continuous threats, at each root
	Parries int `json:"parries"` // continuous fours of the opponent, after each move of a root
}

// DefaultSolvers returns the budgets with which a search plays best at equal
// playouts, as far as was measured.
func DefaultSolvers() SolverNodes { return SolverNodes{Leaf: 500, Root: 2_000, Parries: 500} }

// newSolvers returns the solvers of gomoku.
func newSolvers(n SolverNodes) mcts.Prover {
	s := &solvers{ctx: context.Background(), budget: n, root: vcf.New(vcf.Options{})}
	if n.Leaf > 0 {
		s.leaf = vcf.NewProver(n.Leaf, vcf.Options{})
	}
	return s
}

// Until has a prover that Solvers made find nothing more once ctx has ended, so
// that a search whose time is up is not kept waiting. What it finds before does
// not depend on ctx.
func Until(ctx context.Context, p mcts.Prover) {
	if s, ok := p.(*solvers); ok {
		s.ctx = ctx
	}
}

// RootNodes returns how many moves the solvers of a prover that Solvers made
// have played at roots.
func RootNodes(p mcts.Prover) int {
	if s, ok := p.(*solvers); ok {
		return s.played
	}
	return 0
}

// solvers implements [mcts.RootProver], [mcts.Refuter] and [mcts.Auditor].
type solvers struct {
	ctx    context.Context
	budget SolverNodes
	leaf   *vcf.Prover // nil: off
	root   *vcf.Solver
	played int // moves, at roots
}

// Prove implements [mcts.Prover].
func (s *solvers) Prove(pos game.Position) (m game.Move, plies int, ok bool) {
	if s.leaf == nil || s.ctx.Err() != nil {
		return game.NoMove, 0, false
	}
	return s.leaf.Prove(pos)
}

// ProveRoot implements [mcts.RootProver]. Fours alone are cheap to search deep
// and come first.
func (s *solvers) ProveRoot(pos game.Position) (m game.Move, plies int, ok bool) {
	board := patterns(pos)
	if s.budget.Root == 0 || board == nil {
		return game.NoMove, 0, false
	}
	return s.win(board)
}

// Audit implements [mcts.Auditor] with the budget of ProveRoot.
func (s *solvers) Audit(pos game.Position, m game.Move) (f mcts.Refutation) {
	board := patterns(pos)
	if s.budget.Root == 0 || board == nil {
		return f
	}
	board.Play(m)
	defer board.Undo()
	if board.Outcome() != game.Undecided {
		return f
	}
	if reply, plies, ok := s.win(board); ok {
		f = mcts.Refutation{Reply: reply, Plies: plies}
	}
	return f
}

// win looks for a forced win of the side to move.
func (s *solvers) win(board *pattern.Board) (m game.Move, plies int, ok bool) {
	for _, kind := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		r := s.root.Solve(s.ctx, board, kind, s.budget.Root)
		s.played += r.Nodes
		if r.Outcome == vcf.Win {
			return r.Line[0], r.Plies, true
		}
	}
	return game.NoMove, 0, false
}

// Refute implements [mcts.Refuter].
func (s *solvers) Refute(pos game.Position, moves []game.Move, out []mcts.Refutation) {
	board := patterns(pos)
	if s.budget.Parries == 0 || board == nil {
		return
	}
	for i, m := range moves {
		board.Play(m)
		if board.Outcome() == game.Undecided {
			r := s.root.Solve(s.ctx, board, vcf.VCF, s.budget.Parries)
			s.played += r.Nodes
			if r.Outcome == vcf.Win {
				out[i] = mcts.Refutation{Reply: r.Line[0], Plies: r.Plies}
			}
		}
		board.Undo()
	}
}

// patterns returns pos in the form that the solvers search, itself if it has
// that form; nil if it is no position of gomoku.
func patterns(pos game.Position) *pattern.Board {
	switch pos := pos.(type) {
	case *pattern.Board:
		return pos
	case *gomoku.Board:
		return pattern.FromBoard(pos)
	}
	return nil
}
