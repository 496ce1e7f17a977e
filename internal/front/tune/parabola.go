package tune

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// normal95 is the 97.5% quantile of the normal distribution.
var normal95 = math.Sqrt2 * math.Erfinv(0.95)

// Known is a trial with its result, A's mean score in -1..1.
type Known struct {
	Trial
	Score float64
}

// Errors returns how far the best value of each parameter may be from the one in best,
// in the parameter's unit: half a 95% interval, +Inf where the trials do not show that
// the parameter has a top. The model is a parabola in each parameter,
//
//	score = sum over i of (A[i]-B[i]) * (b[i] - h[i]*m[i]),   m = (A+B)/2,
//
// in steps, whose b and h least squares find; the slope at best, with its error, divided
// by the curvature is the distance to the top. A method that follows its own results
// makes curvatures seem larger than they are, as a random walk seems to return to its
// mean: h must pass Dickey and Fuller's test, the low end of its interval is taken, and
// where all trials were at much the same place, or there are few, nothing is claimed.
func Errors(parameters []Parameter, known []Known, best []float64) []float64 {
	d := len(parameters)
	bounds := make([]float64, d)
	for i := range bounds {
		bounds[i] = math.Inf(1)
	}
	if len(known) < leastTrials || len(known) <= 2*d {
		return bounds
	}
	fitted, covariance, ok := leastSquares(parameters, known)
	if !ok {
		return bounds
	}
	for i := range parameters {
		b, h, x := fitted.AtVec(i), fitted.AtVec(d+i), parameters[i].steps(best[i])
		deviation := math.Sqrt(covariance.At(d+i, d+i))
		if !(h > dickeyFuller*deviation) || middleSpread(parameters, known, i) < leastSpread {
			continue
		}
		slope := b - h*x
		variance := covariance.At(i, i) - 2*x*covariance.At(i, d+i) + x*x*covariance.At(d+i, d+i)
		bounds[i] = math.Hypot(slope, normal95*math.Sqrt(max(0, variance))) / (h - normal95*deviation) * parameters[i].Step
	}
	return bounds
}

// dickeyFuller is how many of its standard deviations a curvature must be over 0: the 1%
// point of the test for a random walk around a constant (Dickey and Fuller 1979).
const dickeyFuller = 3.43

// leastTrials is the number of trials below which no error is claimed: of few trials,
// chance looks like a curvature too often.
const leastTrials = 100

// leastSpread is how far apart, in steps, trials must have been for a curvature to
// count.
const leastSpread = 0.25

// middleSpread returns the standard deviation, in steps, of the middles of the trials.
func middleSpread(parameters []Parameter, known []Known, i int) float64 {
	p := &parameters[i]
	sum, squares, n := 0.0, 0.0, float64(len(known))
	for _, k := range known {
		m := p.steps((k.A[i] + k.B[i]) / 2)
		sum += m
		squares += m * m
	}
	return math.Sqrt(max(0, squares/n-sum/n*sum/n))
}

// leastSquares returns b, then h, of all parameters, and their covariance. ok is false
// where the trials do not determine them.
func leastSquares(parameters []Parameter, known []Known) (fitted *mat.VecDense, covariance *mat.SymDense, ok bool) {
	d := len(parameters)
	normal, right := mat.NewSymDense(2*d, nil), mat.NewVecDense(2*d, nil)
	row := mat.NewVecDense(2*d, nil)
	fill := func(k *Known) {
		for i := range parameters {
			p := &parameters[i]
			a, b := p.steps(k.A[i]), p.steps(k.B[i])
			row.SetVec(i, a-b)
			row.SetVec(d+i, -(a-b)*(a+b)/2)
		}
	}
	for i := range known {
		fill(&known[i])
		normal.SymRankOne(normal, 1, row)
		right.AddScaledVec(right, known[i].Score, row)
	}
	var factors mat.Cholesky
	if !factors.Factorize(normal) || factors.Cond() > 1e12 {
		return nil, nil, false
	}
	fitted, covariance = mat.NewVecDense(2*d, nil), mat.NewSymDense(2*d, nil)
	if factors.SolveVecTo(fitted, right) != nil || factors.InverseTo(covariance) != nil {
		return nil, nil, false
	}
	rest := 0.0
	for i := range known {
		fill(&known[i])
		e := known[i].Score - mat.Dot(row, fitted)
		rest += e * e
	}
	covariance.ScaleSym(rest/float64(len(known)-2*d), covariance)
	return fitted, covariance, true
}
