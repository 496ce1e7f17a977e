package fit

import (
	"context"
	"fmt"
	"math"

	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/regression"
	"github.com/carozero/carozero/game/gomoku"
)

// LeastGames is how many games a fit needs.
const LeastGames = 50

// Result is what a fit found.
type Result struct {
	Weights *classical.Weights `json:"-"`

	regression.Comparison
}

// Fit fits weights of a rule set to data, unless ctx ends. Spread is that of
// HandPrior.
func Fit(ctx context.Context, r gomoku.Rules, data *Data, spread float64) (Result, error) {
	if err := data.check(); err != nil {
		return Result{}, err
	}
	if !(spread > 0) || math.IsInf(spread, 1) {
		return Result{}, fmt.Errorf("spread %v: want a positive number", spread)
	}
	prior := HandPrior(r, spread)
	fitted, err := regression.Minimise(ctx, &data.Fit, prior)
	if err != nil {
		return Result{}, err
	}
	return measured(r, data, rounded(fitted)), nil
}

// check returns an error if there are too few games.
func (d *Data) check() error {
	if d.Games < LeastGames || d.Held.Len() == 0 {
		return fmt.Errorf("%d games with %d quiet positions: want at least %d games", d.Games, d.Fit.Len()+d.Held.Len(), LeastGames)
	}
	return nil
}

// measured returns the result that these weights are.
func measured(r gomoku.Rules, data *Data, weights *classical.Weights) Result {
	return Result{Weights: weights, Comparison: regression.Compare(&data.Fit, &data.Held, vector(weights), vector(classical.HandWeights(r)))}
}

// vector returns weights in the order of rows: early ones first.
func vector(w *classical.Weights) []float64 {
	v := make([]float64, 2*classical.NumFeatures)
	for f := range classical.NumFeatures {
		v[f], v[classical.NumFeatures+f] = float64(w.Early[f]), float64(w.Late[f])
	}
	return v
}

// mostWeight bounds a weight to both sides of 0.
const mostWeight = 30000

// rounded returns the weights of a vector.
func rounded(v []float64) *classical.Weights {
	w := new(classical.Weights)
	for f := range classical.NumFeatures {
		w.Early[f], w.Late[f] = round(v[f]), round(v[classical.NumFeatures+f])
	}
	return w
}

func round(v float64) int16 {
	return int16(math.Round(math.Max(-mostWeight, math.Min(mostWeight, v))))
}
