package proof

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// ErrNoWin: the solver sees no win of the kind.
var ErrNoWin = errors.New("no win was found")

// Certify has the solver look for a win of the side to move on b and writes its
// certificate, with at most so many nodes, asking the solver again, with the budget of
// l, in every position that a reply leads to. The error wraps ErrNoWin, or is one of
// certificate.New, which says which reply was not refuted. b is the same afterwards.
func Certify(ctx context.Context, s *vcf.Solver, b *gomoku.Board, kind vcf.Kind, l Limits, nodes int) (*certificate.Certificate, error) {
	r := s.Solve(ctx, pattern.FromBoard(b), kind, l.Nodes)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.Outcome != vcf.Win {
		return nil, fmt.Errorf("%w: %v", ErrNoWin, r.Outcome)
	}
	asked := 0
	c, err := certificate.New(ctx, b, b.ToMove(), nodes, func(b *gomoku.Board) (game.Move, bool) {
		if asked++; l.Asked > 0 && asked > l.Asked {
			return game.NoMove, false
		}
		m, _, ok := s.Follow(ctx, pattern.FromBoard(b), kind, l.Nodes)
		return m, ok
	})
	if ended := ctx.Err(); ended != nil {
		return nil, ended
	}
	return c, err
}
