package mcts

import (
	"math"
	"math/rand/v2"

	"github.com/carozero/carozero/internal/support/exactmath"
)

// noiseStream separates the noise from other uses of the same seed.
const noiseStream = 0x6e6f697365

// leastShape is the smallest shape of a gamma distribution of whose samples the logarithms are
// finite numbers.
const leastShape = 1e-300

// dirichlet fills out with a sample of the symmetric Dirichlet distribution
// whose parameters sum to total, so that each is total/len(out) (KataGo: Wu,
// "Accelerating Self-Play Learning in Go", 2019, appendix D, with a total of
// 10.83). It is a function of src's state alone.
func dirichlet(out []float64, total float64, src *rand.PCG) {
	alpha := max(leastShape, total/float64(len(out)))
	most := math.Inf(-1)
	for i := range out {
		out[i] = lnGamma(alpha, src)
		most = max(most, out[i])
	}
	sum := 0.0
	for i, x := range out {
		out[i] = exactmath.Exp(x - most)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
}

// lnGamma returns the logarithm of a sample of the gamma distribution with
// shape a > 0 and scale 1, by Marsaglia and Tsang, "A simple method for
// generating gamma variables", 2000: a sample for a+1 times U^(1/a). The
// logarithm survives the small shapes that underflow.
func lnGamma(a float64, src *rand.PCG) float64 {
	d := a + 2.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := normal(src)
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v = v * v * v
		lnV := exactmath.Ln(v)
		if exactmath.Ln(uniform(src)) < float64(0.5*x*x)+d-float64(d*v)+float64(d*lnV) {
			return exactmath.Ln(d) + lnV + exactmath.Ln(uniform(src))/a
		}
	}
}

// normal returns a standard normal sample by Marsaglia's polar method.
func normal(src *rand.PCG) float64 {
	for {
		x, y := 2*uniform(src)-1, 2*uniform(src)-1
		if s := float64(x*x) + float64(y*y); s > 0 && s < 1 {
			return x * math.Sqrt(-2*exactmath.Ln(s)/s)
		}
	}
}

// uniform returns a uniform sample of (0, 1).
func uniform(src *rand.PCG) float64 {
	return (float64(src.Uint64()>>12) + 0.5) / (1 << 52)
}
