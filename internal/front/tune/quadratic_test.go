package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// drawSamples returns samples of d coordinates with random results, and weights.
func drawSamples(rng *rand.Rand, d, n int) (samples []sample, weights []float64) {
	for range n {
		s := sample{games: float64(1 + rng.IntN(20)), won: rng.Float64()}
		for range d {
			s.x = append(s.x, 2*rng.Float64()-1)
		}
		s.terms = appendTerms(nil, s.x)
		samples, weights = append(samples, s), append(weights, rng.Float64())
	}
	return samples, weights
}

// plainLoss is logisticLoss as the definition has it.
func plainLoss(samples []sample, weights []float64, q quadratic) float64 {
	sum := 0.0
	for _, c := range q {
		sum += c * c / 200
	}
	for i, s := range samples {
		d, z, at := len(s.x), 0.0, 0
		add := func(value float64) {
			if at < len(q) {
				z += q[at] * value
			}
			at++
		}
		add(1)
		for j := range d {
			add(s.x[j])
		}
		for j := range d {
			for k := j; k < d; k++ {
				add(s.x[j] * s.x[k])
			}
		}
		p := 1 / (1 + math.Exp(-z))
		sum -= weights[i] * s.games * (s.won*math.Log(p) + (1-s.won)*math.Log(1-p))
	}
	return sum
}

// Slopes and curvatures are those of finite differences of the loss as it is defined.
func TestLogisticSlopes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		d := 1 + rng.IntN(3)
		n := quadraticTerms(d)
		samples, weights := drawSamples(rng, d, rng.IntN(30))
		q := make(quadratic, n)
		for i := range q {
			q[i] = rng.NormFloat64()
		}
		slope, curvature := mat.NewVecDense(n, nil), make([]float64, n*n)
		logisticSlope(samples, weights, q, slope, curvature)
		if got, want := logisticLoss(samples, weights, q), plainLoss(samples, weights, q); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			rt.Fatalf("loss %v, want %v", got, want)
		}
		const step = 1e-5
		moved := func(i int, by float64) quadratic {
			m := slices.Clone(q)
			m[i] += by
			return m
		}
		above, below := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		for i := range n {
			want := (plainLoss(samples, weights, moved(i, step)) - plainLoss(samples, weights, moved(i, -step))) / (2 * step)
			if math.Abs(slope.AtVec(i)-want) > 1e-4*(1+math.Abs(want)) {
				rt.Fatalf("slope %d: %v, want %v", i, slope.AtVec(i), want)
			}
			unused := make([]float64, n*n)
			logisticSlope(samples, weights, moved(i, step), above, unused)
			logisticSlope(samples, weights, moved(i, -step), below, unused)
			for j := i; j < n; j++ {
				want := (above.AtVec(j) - below.AtVec(j)) / (2 * step)
				if got := curvature[i*n+j]; math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
					rt.Fatalf("curvature %d, %d: %v, want %v", i, j, got, want)
				}
			}
		}
	})
}

// The fit is a minimum: its slope is 0, and from anywhere it is the same.
func TestFitLogisticIsTheMinimum(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		d := 1 + rng.IntN(3)
		n := quadraticTerms(d)
		samples, weights := drawSamples(rng, d, rng.IntN(40))
		for i := range samples {
			if rng.IntN(3) == 0 {
				samples[i].won = float64(rng.IntN(2)) // won or lost by all
			}
		}
		q, _ := fitLogistic(samples, weights, n, nil)
		slope := mat.NewVecDense(n, nil)
		logisticSlope(samples, weights, q, slope, make([]float64, n*n))
		if worst := mat.Norm(slope, math.Inf(1)); worst > 1e-5 {
			rt.Fatalf("a slope of %v is left", worst)
		}
		from := make(quadratic, n)
		for i := range from {
			from[i] = 5 * rng.NormFloat64()
		}
		again, _ := fitLogistic(samples, weights, n, from)
		for i := range q {
			if math.Abs(q[i]-again[i]) > 1e-4*(1+math.Abs(q[i])) {
				rt.Fatalf("from %v: %v, from 0: %v", from, again, q)
			}
		}
	})
}

// The constant and its deviation are those that a fine grid over the posterior of one
// coefficient has.
func TestFitLogisticAgainstAGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	samples, weights := drawSamples(rng, 1, 30)
	q, deviation := fitLogistic(samples, weights, 1, nil)
	best, least, sum, mean, square := 0.0, math.Inf(1), 0.0, 0.0, 0.0
	for c := -3.0; c <= 3; c += 0.001 {
		loss := plainLoss(samples, weights, quadratic{c})
		if loss < least {
			best, least = c, loss
		}
	}
	for c := -3.0; c <= 3; c += 0.001 {
		p := math.Exp(least - plainLoss(samples, weights, quadratic{c}))
		sum += p
		mean += p * c
		square += p * c * c
	}
	want := math.Sqrt(square/sum - mean/sum*mean/sum)
	if math.Abs(q[0]-best) > 0.002 || math.Abs(deviation-want) > 0.02*want {
		t.Errorf("%v +- %v, on the grid %v +- %v", q[0], deviation, best, want)
	}
}
