package games

import (
	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/support/exactmath"
)

// Curve turns scores of the classical search into expected results by the logistic
// function. Answers, samples and the balance of openings use the same one.
type Curve struct {
	Scale float64 // the score at which the odds of winning are e to 1
}

// usualScale is that of a game whose scores were not fitted to results.
const usualScale = 200

// Curve returns the curve that was fitted to games of the variant's rule set.
func (v Variant) Curve() Curve {
	if v.game.Scale == nil {
		return Curve{usualScale}
	}
	return Curve{v.game.Scale(v)}
}

// Value returns the expected result, from -1 to 1; a claim counts as certain, and
// nothing else does.
func (c Curve) Value(s alphabeta.Score) float32 {
	if _, claimed := s.Claim(); claimed {
		if s > 0 {
			return 1
		}
		return -1
	}
	const most = 1 - 1e-6
	odds := exactmath.Exp(min(max(-700, float64(s)/c.Scale), 700))
	return float32(min(max(-most, 1-2/(1+odds)), most))
}
