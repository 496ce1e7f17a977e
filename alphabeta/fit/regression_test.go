package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// flatPrior lets each weight stray by itself.
func flatPrior(means []float64, deviation float64) Prior {
	p := Prior{Mean: means}
	for i := range means {
		p.Factors = append(p.Factors, []Load{{i, deviation}})
	}
	return p
}

// drawRow returns a row over some features, each at most once.
func drawRow(rng *rand.Rand, features int) Row {
	row := Row{Phase: rng.Float32(), Target: float32(rng.IntN(3)) / 2}
	for f := range features {
		if n := rng.IntN(7) - 3; n != 0 {
			row.Terms = append(row.Terms, Term{Feature: uint16(f), Count: int16(n)})
		}
	}
	return row
}

func drawWeights(rng *rand.Rand, features int, spread float64) []float64 {
	w := make([]float64, 2*features)
	for i := range w {
		w[i] = spread * rng.NormFloat64()
	}
	return w
}

// The gradient is that of finite differences.
func TestSlopeIsTheDerivative(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		const features = 4
		var rows Rows
		for range rng.IntN(30) {
			rows = append(rows, drawRow(rng, features))
		}
		prior := flatPrior(drawWeights(rng, features, 50), 20)
		for range 3 {
			a, b := rng.IntN(2*features), rng.IntN(2*features)
			prior.Factors = append(prior.Factors, []Load{{a, 30 * rng.NormFloat64()}, {b, 30 * rng.NormFloat64()}})
		}
		o := posterior(rows, prior)
		x, g := make([]float64, len(prior.Factors)), make([]float64, len(prior.Factors))
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		o.Grad(g, x)
		const step = 1e-5
		for i := range x {
			at := x[i]
			x[i] = at + step
			above := o.Func(x)
			x[i] = at - step
			below := o.Func(x)
			x[i] = at
			if want := (above - below) / (2 * step); math.Abs(g[i]-want) > 1e-5*(1+math.Abs(want)) {
				rt.Fatalf("by factor %d: %v, want %v", i, g[i], want)
			}
		}
	})
}

// synthetic returns rows whose results are drawn from known weights.
func synthetic(rng *rand.Rand, n int, weights []float64) Rows {
	var rows Rows
	for range n {
		row := drawRow(rng, len(weights)/2)
		row.Target = 0
		if rng.Float64() < Probability(row.Score(weights)) {
			row.Target = 1
		}
		rows = append(rows, row)
	}
	return rows
}

func TestMinimiseFindsKnownWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const features = 6
	known := drawWeights(rng, features, 40)
	rows := synthetic(rng, 100_000, known)
	got, err := minimise(t.Context(), rows, flatPrior(make([]float64, 2*features), 100))
	if err != nil {
		t.Fatal(err)
	}
	for i := range known {
		if math.Abs(got[i]-known[i]) > 8 {
			t.Errorf("weight %d: %.1f, want %.1f", i, got[i], known[i])
		}
	}
	if fitted, best := rows.MeanLoss(got), rows.MeanLoss(known); fitted > best {
		t.Errorf("loss %v, where the known weights have %v", fitted, best)
	}
}
