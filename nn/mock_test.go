package nn

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestMockIsAPureFunction(t *testing.T) {
	positions := newPositions(1, 40)
	for _, sharp := range []bool{false, true} {
		queued, immediate, other := NewMock(5), NewMock(5), NewMock(6)
		queued.Queue, immediate.Immediate = 7, true
		queued.Sharp, immediate.Sharp, other.Sharp = sharp, sharp, sharp
		want := evaluate(t, queued, positions)
		checkSame(t, "immediate", evaluate(t, immediate, positions), want)
		if sameBits(evaluate(t, other, positions)[0].result, want[0].result) {
			t.Error("the seed has no effect")
		}
		for _, a := range want {
			checkDistribution(t, a.result)
		}
	}
	soft, sharp := NewMock(1), NewMock(1)
	sharp.Sharp = true
	if soft.Tag(positions[0]) == sharp.Tag(positions[0]) || soft.Tag(positions[0]) == NewMock(2).Tag(positions[0]) {
		t.Error("different mocks have equal tags")
	}
}

func checkDistribution(t *testing.T, r Result) {
	t.Helper()
	var sum float64
	for _, p := range r.Priors {
		if p <= 0 && p != 0 || p > 1 {
			t.Fatalf("prior %v", p)
		}
		sum += float64(p)
	}
	wdl := float64(r.Win) + float64(r.Draw) + float64(r.Loss)
	if math.Abs(sum-1) > 1e-5 || math.Abs(wdl-1) > 1e-6 {
		t.Fatalf("priors sum to %v, win, draw and loss to %v", sum, wdl)
	}
}

func TestLnAndExp(t *testing.T) {
	near := func(got, want float64) bool { return math.Abs(got-want) <= 1e-14*max(1, math.Abs(want)) }
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		x := math.Ldexp(1+rng.Float64(), rng.IntN(200)-100)
		if got, want := Ln(x), math.Log(x); !near(got, want) {
			t.Fatalf("Ln(%v) = %v, want %v", x, got, want)
		}
		y := (rng.Float64() - 0.5) * 100
		if got, want := Exp(y)/math.Exp(y), 1.0; math.Abs(got-want) > 2e-14 {
			t.Fatalf("Exp(%v) = %v, want %v", y, Exp(y), math.Exp(y))
		}
	}
	if Ln(1) != 0 || Exp(0) != 1 || Exp(-1e9) != 0 {
		t.Errorf("ln 1 = %v, exp 0 = %v, exp -1e9 = %v", Ln(1), Exp(0), Exp(-1e9))
	}
}
