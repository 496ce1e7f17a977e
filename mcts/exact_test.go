package mcts

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
		if got, want := ln(x), math.Log(x); !near(got, want) {
			t.Fatalf("ln(%v) = %v, want %v", x, got, want)
		}
		y := (rng.Float64() - 0.5) * 100
		if got, want := exp(y)/math.Exp(y), 1.0; math.Abs(got-want) > 2e-14 {
			t.Fatalf("exp(%v) = %v, want %v", y, exp(y), math.Exp(y))
		}
	}
	if ln(1) != 0 || exp(0) != 1 || exp(-1e9) != 0 {
		t.Errorf("ln 1 = %v, exp 0 = %v, exp -1e9 = %v", ln(1), exp(0), exp(-1e9))
	}
}
