package regression

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
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

// The gradient is that of finite differences.
func TestSlopeIsTheDerivative(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		const features = 4
		var rows Rows
		for range rng.IntN(30) {
			rows.Add(drawRow(rng, features))
		}
		prior := flatPrior(drawWeights(rng, features, 50), 20)
		for range 3 {
			a, b := rng.IntN(2*features), rng.IntN(2*features)
			prior.Factors = append(prior.Factors, []Load{{a, 30 * rng.NormFloat64()}, {b, 30 * rng.NormFloat64()}})
		}
		o := newObjective(&rows, prior)
		x, g := make([]float64, len(prior.Factors)), make([]float64, len(prior.Factors))
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		o.slope(g, x)
		const step = 1e-5
		for i := range x {
			at := x[i]
			x[i] = at + step
			above := o.value(x)
			x[i] = at - step
			below := o.value(x)
			x[i] = at
			if want := (above - below) / (2 * step); math.Abs(g[i]-want) > 1e-5*(1+math.Abs(want)) {
				rt.Fatalf("by factor %d: %v, want %v", i, g[i], want)
			}
		}
	})
}

// synthetic returns rows whose results are drawn from known weights.
func synthetic(rng *rand.Rand, n int, weights []float64) *Rows {
	var rows Rows
	for range n {
		row := drawRow(rng, len(weights)/2)
		row.Target = 0
		if rng.Float64() < Probability(row.Score(weights)) {
			row.Target = 1
		}
		rows.Add(row)
	}
	return &rows
}

func TestMinimiseFindsKnownWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const features = 6
	known := drawWeights(rng, features, 40)
	rows := synthetic(rng, 100_000, known)
	got, err := Minimise(t.Context(), rows, flatPrior(make([]float64, 2*features), 100))
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

// The narrower the prior, the nearer the weights stay to the means; without rows
// they are there.
func TestPriorHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const features = 5
	means := drawWeights(rng, features, 30)
	rows := synthetic(rng, 2000, drawWeights(rng, features, 60))
	before := math.Inf(1)
	for _, deviation := range []float64{30, 10, 3, 0.1} {
		got, err := Minimise(t.Context(), rows, flatPrior(means, deviation))
		if err != nil {
			t.Fatal(err)
		}
		distance := 0.0
		for i := range got {
			distance += math.Abs(got[i] - means[i])
		}
		if distance >= before {
			t.Errorf("deviation %v: %v from the means, with a wider one %v", deviation, distance, before)
		}
		before = distance
	}
	got, err := Minimise(t.Context(), &Rows{}, flatPrior(means, 10))
	if err != nil || !slices.Equal(got, means) {
		t.Errorf("without rows: %v, want the means %v; %v", got, means, err)
	}
}

// A minimisation that is told to end gives no weights.
func TestMinimisingEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if w, err := Minimise(ctx, &Rows{}, flatPrior([]float64{1, 2}, 10)); w != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("weights %v, error %v", w, err)
	}
}
