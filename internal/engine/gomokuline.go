package engine

import (
	"github.com/carozero/carozero/alphabeta"
	gomokusearch "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/internal/exact"
	"github.com/carozero/carozero/nn/line"
)

// gomokuClassical returns the classical search of gomoku with the evaluation that
// the options name.
func gomokuClassical(v Variant, o ClassicalOptions) alphabeta.Game {
	var g gomokusearch.Game
	if o.Weights == HandWeights {
		g.Models = gomokusearch.Hand
	}
	if o.Line != nil {
		scale := gomokusearch.Scale(gomokuRules(v))
		g.Judge = func(b *pattern.Board) func() alphabeta.Score {
			j := lineJudge{line.NewAccumulator(o.Line, b), scale}
			return j.score
		}
	}
	return g
}

// lineJudge turns what a line network says of a board into scores.
type lineJudge struct {
	acc   *line.Accumulator
	scale float64 // the score at which the odds of winning are e to 1
}

// score returns the score with the odds that the network gives, a draw being half a
// win: scale * ln((win + draw/2) / (loss + draw/2)). The last bits are the same
// everywhere.
func (j *lineJudge) score() alphabeta.Score {
	logits := j.acc.Value()
	top := max(logits[0], logits[1], logits[2])
	var e [3]float64
	for i, l := range logits {
		e[i] = exact.Exp(max(float64(l-top)*(1.0/(1<<line.ValueBits)), -40))
	}
	half := float64(0.5 * e[1])
	return alphabeta.Score(float64(j.scale * (exact.Ln(e[0]+half) - exact.Ln(e[2]+half))))
}
