package vcf

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// DefaultProverNodes is the budget of a Prover that is given none.
const DefaultProverNodes = 500

// Prover proves wins by continuous fours for a search that knows nothing of
// gomoku. It belongs to one goroutine. Its results are a pure function of the
// position.
type Prover struct {
	solver *Solver
	nodes  int
}

// NewProver returns a prover that plays at most nodes moves a position,
// DefaultProverNodes if nodes is not positive.
func NewProver(nodes int, o Options) *Prover {
	if nodes <= 0 {
		nodes = DefaultProverNodes
	}
	return &Prover{solver: New(o), nodes: nodes}
}

// Prove reports whether the side to move wins by continuous fours, and with
// which move and in how many plies. It knows *pattern.Board, and
// *gomoku.Board, for which it allocates a pattern.Board if there is anything
// to attack with; other positions have no proof. The position is the same
// afterwards.
func (p *Prover) Prove(pos game.Position) (m game.Move, plies int, ok bool) {
	var b *pattern.Board
	switch pos := pos.(type) {
	case *pattern.Board:
		b = pos
	case *gomoku.Board:
		if pos.Outcome() != game.Undecided {
			return game.NoMove, 0, false
		}
		b = pattern.FromBoard(pos)
	default:
		return game.NoMove, 0, false
	}
	r := p.solver.Decide(context.Background(), b, VCF, p.nodes)
	if r.Outcome != Win {
		return game.NoMove, 0, false
	}
	return r.Line[0], r.Plies, true
}
