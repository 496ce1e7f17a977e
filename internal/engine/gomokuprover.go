package engine

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/alphabeta/vcf/proof"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// gomokuProver implements [Prover] with the solver of fours and threes.
type gomokuProver struct{ solver *vcf.Solver }

func newGomokuProver(tableBytes int) Prover {
	return &gomokuProver{vcf.New(vcf.Options{TableBytes: tableBytes})}
}

// Solve implements [Prover].
func (p *gomokuProver) Solve(ctx context.Context, pos game.Position, kind vcf.Kind, nodes int) vcf.Result {
	return p.solver.Solve(ctx, patterns(pos), kind, nodes)
}

// Find implements [Prover].
func (p *gomokuProver) Find(ctx context.Context, pos game.Position, l proof.Limits, kinds ...vcf.Kind) (proof.Win, bool) {
	return proof.Find(ctx, p.solver, plain(pos), l, kinds...)
}

// Replay implements [Prover].
func (p *gomokuProver) Replay(pos game.Position, plies int, s Strategy) (asked int, err error) {
	end := pos.Ply() + plies
	return proof.Replay(plain(pos), plies, func(b *gomoku.Board) (game.Move, int, bool) {
		left := end - b.Ply()
		m, ok := s(b, left)
		return m, left, ok
	})
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

// plain returns pos as the rules alone have it, itself if it has that form; nil
// if it is no position of gomoku.
func plain(pos game.Position) *gomoku.Board {
	switch pos := pos.(type) {
	case *gomoku.Board:
		return pos
	case *pattern.Board:
		return pos.Board().Copy()
	}
	return nil
}
