package regression

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

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

func TestRowsKeepWhatWasAdded(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		var rows Rows
		var want []Row
		for range rng.IntN(20) {
			row := drawRow(rng, rng.IntN(6))
			want = append(want, row)
			rows.Add(row)
		}
		if rows.Len() != len(want) {
			rt.Fatalf("%d rows, want %d", rows.Len(), len(want))
		}
		for i, row := range want {
			got := rows.At(i)
			if got.Phase != row.Phase || got.Target != row.Target || !slices.Equal(got.Terms, row.Terms) {
				rt.Fatalf("row %d is %v, want %v", i, got, row)
			}
		}
	})
}

func TestScore(t *testing.T) {
	row := Row{Terms: []Term{{0, 2}, {2, -1}}, Phase: 0.25}
	weights := []float64{10, 1000, 15, 30, 1000, 40}
	if got, want := row.Score(weights), 0.75*(20-15)+0.25*(60-40); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// The loss is that of its definition, and finite where the probability is not
// to be told from 0 or 1.
func TestCrossEntropy(t *testing.T) {
	for _, score := range []float64{-900, -50, 0, 1, 700} {
		for _, target := range []float64{0, 0.5, 1} {
			p := Probability(score)
			want := -target*math.Log(p) - (1-target)*math.Log(1-p)
			if got := CrossEntropy(score, target); math.Abs(got-want) > 1e-9 {
				t.Errorf("score %v, target %v: %v, want %v", score, target, got, want)
			}
		}
	}
	if got := CrossEntropy(-1e6, 1); got != 1e6/Scale {
		t.Errorf("a lost position that is won costs %v, want %v", got, 1e6/Scale)
	}
	var none Rows
	if none.MeanLoss(nil) != 0 {
		t.Error("no rows have a loss")
	}
}

// A counter adds up like a map, whatever the order, and forgets what it has told.
func TestCounterAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var c Counter
	for range 200 {
		want := map[uint16]int16{}
		for range rng.IntN(40) {
			feature, count := rng.IntN(12), rng.IntN(5)-2
			want[uint16(feature)] += int16(count)
			c.Count(feature, count)
		}
		maps.DeleteFunc(want, func(_ uint16, n int16) bool { return n == 0 })
		got := map[uint16]int16{}
		for _, term := range c.Terms() {
			if _, twice := got[term.Feature]; twice {
				t.Fatalf("feature %d has two terms", term.Feature)
			}
			got[term.Feature] = term.Count
		}
		if !maps.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}
