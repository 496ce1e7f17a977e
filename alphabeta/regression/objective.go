package regression

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/optimize"
)

// objective is the negative logarithm of the posterior of the weights, up to a
// constant, as a function of the x of the prior:
//
//	loss of the evidence + sum over k of x[k]^2 / 2
//
// It is strictly convex, so that there is one minimum (Bishop, Pattern
// Recognition and Machine Learning, 2006, section 4.5.1).
type objective struct {
	evidence Evidence
	prior    Prior
	weights  []float64 // of the point last asked for
	gradient []float64 // of the loss, by weight
}

// Evidence is the likelihood of weights given the games.
type Evidence interface {
	// Loss returns the negative logarithm of the likelihood of weights, a
	// convex function of them.
	Loss(w []float64) float64

	// AddSlope adds the derivative of Loss by each weight to gradient.
	AddSlope(w, gradient []float64)
}

func newObjective(e Evidence, prior Prior) *objective {
	n := len(prior.Mean)
	return &objective{evidence: e, prior: prior, weights: make([]float64, n), gradient: make([]float64, n)}
}

// value returns the objective at x.
func (o *objective) value(x []float64) float64 {
	o.prior.Weights(o.weights, x)
	sum := o.evidence.Loss(o.weights)
	for _, v := range x {
		sum += v * v / 2
	}
	return sum
}

// slope writes the gradient at x to g.
func (o *objective) slope(g, x []float64) {
	o.prior.Weights(o.weights, x)
	clear(o.gradient)
	o.evidence.AddSlope(o.weights, o.gradient)
	for k, factor := range o.prior.Factors {
		g[k] = x[k]
		for _, l := range factor {
			g[k] += l.Amount * o.gradient[l.Weight]
		}
	}
}

// maxIterations ends a minimisation that goes on improving by next to nothing.
const maxIterations = 500

// Minimise returns the most probable weights given the evidence and the prior, by L-BFGS
// from the mean, and the context's error if it ends before that.
func Minimise(ctx context.Context, e Evidence, prior Prior) ([]float64, error) {
	o := newObjective(e, prior)
	problem := optimize.Problem{Func: o.value, Grad: o.slope, Status: func() (optimize.Status, error) {
		return optimize.NotTerminated, ctx.Err()
	}}
	settings := &optimize.Settings{
		GradientThreshold: 1e-4,
		MajorIterations:   maxIterations,
		Converger:         &optimize.FunctionConverge{Relative: 1e-9, Iterations: 10},
	}
	// Near the minimum a line search may fail for want of digits.
	result, err := optimize.Minimize(problem, make([]float64, len(o.prior.Factors)), settings, &optimize.LBFGS{})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if result == nil || (err != nil && !errors.Is(err, optimize.ErrLinesearcherFailure)) {
		return nil, fmt.Errorf("minimising: %w", err)
	}
	w := make([]float64, len(o.prior.Mean))
	o.prior.Weights(w, result.X)
	return w, nil
}
