package tune

import (
	"math"

	"github.com/carozero/carozero/internal/support/exactmath"
	"gonum.org/v1/gonum/mat"
)

// quadratic is a quadratic function by the coefficients of its terms: 1, then every
// x[i], then every x[i]*x[j] with i <= j.
type quadratic []float64

// quadraticTerms returns how many terms there are in d dimensions.
func quadraticTerms(d int) int { return (d + 1) * (d + 2) / 2 }

// appendTerms appends the values of the terms at x.
func appendTerms(to, x []float64) []float64 {
	to = append(to, 1)
	to = append(to, x...)
	for i := range x {
		for _, y := range x[i:] {
			to = append(to, float64(x[i]*y))
		}
	}
	return to
}

// of returns the function's value by those of its terms, the first len(q) of terms.
func (q quadratic) of(terms []float64) float64 {
	sum := 0.0
	for i, c := range q {
		sum += float64(c * terms[i])
	}
	return sum
}

// sample is a point with the games that were played there.
type sample struct {
	x     []float64 // each within -1..1
	terms []float64 // of a quadratic at x
	games float64   // more than 0
	won   float64   // share of the games that were won, 0..1; a draw is half a win
}

// priorPrecision is 1 over the variance, 100, of the normal prior of each coefficient:
// wide, for it only keeps coefficients finite that the games do not determine.
const priorPrecision = 0.01

// Newton's method ends after newtonSteps, or when no coefficient's slope is above
// newtonSlope.
const (
	newtonSteps = 100
	newtonSlope = 1e-8
)

// fitLogistic returns the function of the first n terms that is the logarithm of the
// odds of winning: the most probable one under the prior, by logistic regression in which
// sample i counts weights[i] times. It begins at start, or at 0 if start is nil.
// constant is the standard deviation of the function's constant.
func fitLogistic(samples []sample, weights []float64, n int, start quadratic) (q quadratic, constant float64) {
	q = make(quadratic, n)
	copy(q, start)
	loss := logisticLoss(samples, weights, q)
	slope, step := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	curvature := make([]float64, n*n)
	var factors mat.Cholesky
	for range newtonSteps {
		logisticSlope(samples, weights, q, slope, curvature)
		// The prior keeps the matrix positive definite: the factors exist.
		factors.Factorize(mat.NewSymDense(n, curvature))
		if mat.Norm(slope, math.Inf(1)) < newtonSlope || factors.SolveVecTo(step, slope) != nil {
			break
		}
		next := make(quadratic, n)
		lower := loss
		for share := 1.0; share > 1e-6 && !(lower < loss); share /= 2 {
			for i := range q {
				next[i] = q[i] - float64(share*step.AtVec(i))
			}
			lower = logisticLoss(samples, weights, next)
		}
		if !(lower < loss) {
			break
		}
		q, loss = next, lower
	}
	first, unit := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	unit.SetVec(0, 1)
	if factors.SolveVecTo(first, unit) != nil {
		return q, math.Sqrt(1 / priorPrecision)
	}
	return q, math.Sqrt(first.AtVec(0))
}

// logisticLoss returns what fitLogistic minimises: the negative logarithm of the
// posterior, up to a constant.
func logisticLoss(samples []sample, weights []float64, q quadratic) float64 {
	sum := 0.0
	for _, c := range q {
		sum += float64(priorPrecision * c * c / 2)
	}
	for i := range samples {
		s := &samples[i]
		z := q.of(s.terms)
		sum += float64(weights[i] * s.games * (max(z, 0) - float64(s.won*z) + exactmath.Ln(1+exactmath.Exp(-math.Abs(z)))))
	}
	return sum
}

// logisticSlope writes the derivatives of logisticLoss, the second ones as a symmetric
// matrix [n, n] of which the part below the diagonal is left alone.
func logisticSlope(samples []sample, weights []float64, q quadratic, slope *mat.VecDense, curvature []float64) {
	n := len(q)
	for i, c := range q {
		slope.SetVec(i, priorPrecision*c)
		row := curvature[i*n : (i+1)*n]
		clear(row)
		row[i] = priorPrecision
	}
	gradient := slope.RawVector().Data
	for k := range samples {
		s := &samples[k]
		count := weights[k] * s.games
		if count == 0 {
			continue
		}
		z := q.of(s.terms)
		p := 1 / (1 + exactmath.Exp(-min(max(z, -300), 300)))
		miss, bend := float64(count*(p-s.won)), float64(count*p*(1-p))
		for i := range n {
			gradient[i] += float64(miss * s.terms[i])
			scaled, row := float64(bend*s.terms[i]), curvature[i*n:(i+1)*n]
			for j := i; j < n; j++ {
				row[j] += float64(scaled * s.terms[j])
			}
		}
	}
}
