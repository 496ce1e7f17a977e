package games

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/alphabeta/pn"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// gomokuCertificate implements [Variant.WinCertificate].
func gomokuCertificate(ctx context.Context, pos game.Position, winner game.Side, nodes int) ([]byte, error) {
	f := &certifier{
		ctx: ctx, left: nodes,
		threes: vcf.New(vcf.Options{TableBytes: vcf.TableBytesFor(nodes)}),
		quiet:  newAdvisedSolver(64<<20, pn.Options{Certificate: MaxCertificateNodes}),
	}
	c, err := certificate.New(ctx, plain(pos), winner, MaxCertificateNodes, f.move)
	if err == nil {
		data := c.Encode()
		if _, err = CheckCertificate(ctx, data); err == nil {
			return data, nil
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("%w within %d moves: %w", ErrUncertified, nodes, err)
}

// certifier finds the winner's moves of a certificate.
type certifier struct {
	ctx    context.Context
	left   int // moves that may be played
	threes *vcf.Solver
	quiet  *pn.Solver
	spent  int64 // by quiet
}

// threesShare is the share of the budget that a search for fours and threes gets.
const threesShare = 4

// move is a [certificate.Strategy]. It answers from the proofs that were found, and
// looks for another where they do not reach.
func (f *certifier) move(b *gomoku.Board) (m game.Move, ok bool) {
	at := pattern.FromBoard(b)
	if m, _, ok = f.threes.Kept(at); ok {
		return m, true
	}
	if m, ok = f.quiet.Move(f.ctx, b); ok {
		return m, true
	}
	r := f.threes.Solve(f.ctx, at, vcf.VCT, f.left/threesShare)
	f.left -= r.Nodes
	if r.Outcome == vcf.Win {
		return r.Line[0], true
	}
	q, err := f.quiet.Solve(f.ctx, at, f.spent+int64(max(0, f.left)))
	f.left -= int(q.Nodes - f.spent)
	f.spent = q.Nodes
	if err != nil || q.Outcome != vcf.Win {
		return game.NoMove, false
	}
	return f.quiet.Move(f.ctx, b)
}
