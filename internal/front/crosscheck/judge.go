package crosscheck

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
)

// Judge judges single positions for callers that have both engines' answers. It
// belongs to one goroutine.
type Judge struct {
	examiner *examiner
	notation game.Notation
}

// NewJudge returns a judge of positions of a variant. The engines and the notation of its
// rows stay the caller's. It searches deeper with the budgets of o.
func NewJudge(v games.Variant, n game.Notation, e Engines, o Options) *Judge {
	o = o.WithDefaults()
	x := newExaminer(e, o)
	x.prover = newProver(v, o.SolverNodes)
	return &Judge{examiner: x, notation: n}
}

// Row returns the verdict on the answers of both engines to an undecided position,
// each of which was given right after Forget, with the budgets of the options. Of
// the row only what the engines say, the verdict and what belongs to it is filled
// in. pos is the same afterwards. The end of ctx is an error.
func (j *Judge) Row(ctx context.Context, pos game.Position, mcts, alphaBeta *engine.Answer) (Row, error) {
	r := Row{Verdict: Agree}
	return r, j.examiner.judge(ctx, j.notation, pos, &r, mcts, alphaBeta)
}
