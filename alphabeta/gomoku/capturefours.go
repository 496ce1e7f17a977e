package gomoku

import (
	"context"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// captureFours asks a vcf.Solver for wins by fours where captures count; it
// implements alphabeta.Solver.
type captureFours struct {
	board  *pattern.Board
	solver *vcf.Solver
}

func newCaptureFours(b *pattern.Board) *captureFours {
	return &captureFours{board: b, solver: vcf.New(vcf.Options{})}
}

// Solve looks for a win if the side to move can make a four or is near its
// tenth captured stone.
func (s *captureFours) Solve(depth, nodes int) alphabeta.Solution {
	b := s.board
	own := b.ToMove()
	if !hasFour(b, own) && !nearTenth(b, own) {
		return alphabeta.Solution{}
	}
	budget := min(nodes, horizonFours+depthFours*depth)
	r := s.solver.Decide(context.Background(), b, vcf.VCF, budget)
	found := alphabeta.Solution{Nodes: r.Nodes}
	if r.Outcome == vcf.Win {
		found.Won, found.Move, found.Plies = true, r.Line[0], r.Plies
	}
	return found
}

// Figures of the capture rule.
const (
	tenth     = 10 // captured stones that win
	mostPairs = 2  // that one move is expected to take at most
)

// nearTenth reports whether side could soon take its tenth stone, and can take
// some now.
func nearTenth(b *pattern.Board, side game.Side) bool {
	if b.Board().Captured(side) < tenth-2*mostPairs {
		return false
	}
	cells := b.CaptureCells(side)
	return !cells.Empty()
}
