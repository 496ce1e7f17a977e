package nn

import (
	"math"
	"math/rand/v2"
	"testing"
)

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
