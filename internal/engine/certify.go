package engine

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/alphabeta/vcf/proof"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Certificate is a win of the side to move that was played through the rules
// against every legal defence.
type Certificate struct {
	Move  game.Move
	Plies int         // to the end of the game
	Line  []game.Move // against the longest defence
}

// Certify looks for a win by continuous fours in an undecided position, with at
// most that many nodes, and replays it. Games without solvers have none.
func (v Variant) Certify(ctx context.Context, pos game.Position, nodes int) (Certificate, bool) {
	if v.game.certify == nil {
		return Certificate{}, false
	}
	return v.game.certify(ctx, pos, nodes)
}

// certifyGomoku is Certify for gomoku.
func certifyGomoku(ctx context.Context, pos game.Position, nodes int) (Certificate, bool) {
	board, ok := pos.(*gomoku.Board)
	if !ok {
		return Certificate{}, false
	}
	board = board.Clone().(*gomoku.Board)
	solver := vcf.New(vcf.Options{})
	found := solver.Solve(ctx, pattern.FromBoard(board), vcf.VCF, nodes)
	if found.Outcome != vcf.Win || len(found.Line) == 0 {
		return Certificate{}, false
	}
	c := Certificate{Move: found.Line[0], Plies: found.Plies, Line: append([]game.Move(nil), found.Line...)}
	_, err := proof.Replay(board, c.Plies, func(b *gomoku.Board) (game.Move, int, bool) {
		return solver.Follow(ctx, pattern.FromBoard(b), vcf.VCF, nodes)
	})
	return c, err == nil
}
