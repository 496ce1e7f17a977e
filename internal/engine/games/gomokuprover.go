package games

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/alphabeta/vcf/proof"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
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

// Escape implements [Prover].
func (p *gomokuProver) Escape(ctx context.Context, pos game.Position, likely, except []game.Move, nodes int) vcf.Escape {
	return p.solver.Escape(ctx, patterns(pos), likely, except, nodes)
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

// WriteCertificate implements [Prover].
func (p *gomokuProver) WriteCertificate(ctx context.Context, pos game.Position, kind vcf.Kind, nodes, most int) ([]byte, error) {
	c, err := proof.WriteCertificate(ctx, p.solver, plain(pos), kind, proof.Limits{Nodes: nodes}, most)
	if err != nil {
		return nil, err
	}
	return c.Encode(), nil
}
