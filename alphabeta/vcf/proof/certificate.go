package proof

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// WriteCertificate writes the certificate of the win of the side to move on b which the
// last Solve of s has found, with at most so many nodes. Positions that a reply leads to
// and that the solver has not kept are searched anew, with the budget of l each. The
// error is that of ctx or of certificate.New, which says which reply was not refuted.
// b is the same afterwards.
func WriteCertificate(ctx context.Context, s *vcf.Solver, b *gomoku.Board, kind vcf.Kind, l Limits, nodes int) (*certificate.Certificate, error) {
	asked := 0
	quick := vcf.New(vcf.Options{}) // whose small table is cleared at no cost
	c, err := certificate.New(ctx, b, b.ToMove(), nodes, func(b *gomoku.Board) (game.Move, bool) {
		at := pattern.FromBoard(b)
		if m, _, ok := s.Kept(at); ok {
			return m, true
		}
		if asked++; l.Asked > 0 && asked > l.Asked {
			return game.NoMove, false
		}
		r := quick.Decide(ctx, at, kind, l.Nodes)
		if r.Outcome != vcf.Win {
			m, _, ok := s.Follow(ctx, at, kind, l.Nodes)
			return m, ok
		}
		return r.Line[0], true
	})
	if ended := ctx.Err(); ended != nil {
		return nil, ended
	}
	return c, err
}
