package games

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/alphabeta/vcf/proof"
	"github.com/carozero/carozero/game"
)

// Prover proves forced wins in positions of one game, and takes no others. It
// leaves them as they are. It belongs to one goroutine.
type Prover interface {
	// Solve looks for a win of one kind, playing at most nodes moves. What it
	// claims was not replayed. The line is valid until the next call.
	Solve(ctx context.Context, pos game.Position, kind vcf.Kind, nodes int) vcf.Result

	// Escape looks for a reply of the side to move in an undecided position, none of
	// those in except, that leaves its opponent no win by fours and threes.
	Escape(ctx context.Context, pos game.Position, likely, except []game.Move, nodes int) vcf.Escape

	// Find looks for a win by one kind after the other, and replays the first
	// against every legal defence.
	Find(ctx context.Context, pos game.Position, l proof.Limits, kinds ...vcf.Kind) (proof.Win, bool)

	// Replay plays a strategy against every legal defence, and returns in how many
	// positions it was asked; the error says where it does not win in so many plies.
	Replay(pos game.Position, plies int, s Strategy) (asked int, err error)

	// WriteCertificate returns the certificate of the win of the side to move that the
	// last Solve has found, of at most most nodes. A position that is not of the proof is
	// searched anew with at most nodes moves.
	WriteCertificate(ctx context.Context, pos game.Position, kind vcf.Kind, nodes, most int) ([]byte, error)
}

// Strategy is what plays for the winner, who is to move in pos and must have won
// within left plies; ok is false if it sees no way to.
type Strategy func(pos game.Position, left int) (m game.Move, ok bool)

// Prover returns a new prover with a table of so many bytes, 0 for a small one;
// nil if the game has none.
func (v Variant) Prover(tableBytes int) Prover {
	if v.game.Prover == nil {
		return nil
	}
	return v.game.Prover(tableBytes)
}

// Certify looks for a win by continuous fours in an undecided position, with at
// most that many nodes, and replays it. Games without a prover have none.
func (v Variant) Certify(ctx context.Context, pos game.Position, nodes int) (w proof.Win, ok bool) {
	if p := v.Prover(0); p != nil {
		return p.Find(ctx, pos, proof.Limits{Nodes: nodes}, vcf.VCF)
	}
	return w, false
}
