package engine

import (
	"github.com/carozero/carozero/alphabeta"
	gomokusearch "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/nn/line"
)

// gomokuClassical returns the classical search of gomoku with the evaluation that
// the options name. A line network's log odds become scores by the scale that the
// fitted evaluation has, so that margins mean the same; its policy orders moves.
func gomokuClassical(v Variant, o ClassicalOptions) alphabeta.Game {
	var g gomokusearch.Game
	if o.Weights == HandWeights {
		g.Models = gomokusearch.Hand
	}
	if o.Line != nil {
		scale := int64(gomokusearch.Scale(gomokuRules(v)) + 0.5)
		g.Judge = func(b *pattern.Board) gomokusearch.Judge {
			acc := line.NewAccumulator(o.Line, b)
			return gomokusearch.Judge{Policy: acc.PolicyAt, Value: func() alphabeta.Score {
				return alphabeta.Score(int64(line.Odds(acc.Value())) * scale >> line.OddsBits)
			}}
		}
	}
	return g
}
