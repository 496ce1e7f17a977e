package vcf_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// TestDense compares the searches with one another on crowded boards of full
// size, where no oracle can follow, and replays what the second one finds.
func TestDense(t *testing.T) {
	const budget = 12_000
	shares := []float64{0.15, 0.25, 0.35, 0.5}
	for _, name := range gomoku.Names() {
		rng := rand.New(rand.NewPCG(31, 7))
		deep, bare := vcf.New(vcf.Options{}), vcf.NewUndeepened(vcf.Options{})
		wins, nones := 0, 0
		for i := range *densePositions {
			b := scatter(rules(t, name), 13+i%5, shares[i%len(shares)], rng)
			if b == nil || len(b.Wins(nil)) > 0 {
				continue
			}
			kind := vcf.Kind(i / 2 % 2)
			want := deep.Solve(context.Background(), pattern.FromBoard(b), kind, 4*budget)
			got := bare.Solve(context.Background(), pattern.FromBoard(b), kind, budget)
			switch {
			case got.Outcome == vcf.Unknown:
				continue
			case want.Outcome != vcf.Unknown && want.Outcome != got.Outcome:
				t.Errorf("%s, %v, %v to move: %v by deepening, %v without\n%v", name, kind, b.ToMove(), want.Outcome, got.Outcome,
					b)
			case want.Shortest && got.Plies < want.Plies || got.Shortest && want.Outcome == vcf.Win && want.Plies < got.Plies:
				t.Errorf("%s, %v: %d plies by deepening, %d without, and the longer one is called shortest\n%v", name, kind,
					want.Plies, got.Plies, b)
			}
			if got.Outcome == vcf.None {
				nones++
				continue
			}
			wins++
			verify(t, b, kind, got, bare)
		}
		t.Logf("%s: %d wins, %d without", name, wins, nones)
		if wins == 0 || nones == 0 {
			t.Errorf("%s: %d wins and %d positions without one, want some of each", name, wins, nones)
		}
	}
}
