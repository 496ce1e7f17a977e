package vcf_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// TestReplays plays wins by threes on roomy boards, where most replies are
// never tried by the solver, against all of them.
func TestReplays(t *testing.T) {
	for _, name := range gomoku.Names() {
		rng := rand.New(rand.NewPCG(21, 1))
		s := vcf.New(vcf.Options{})
		for wins := 0; wins < *replays; {
			b := cluster(rules(t, name), 12, 18+rng.IntN(16), rng)
			if b == nil || len(b.Wins(nil)) > 0 {
				continue
			}
			r := s.Solve(context.Background(), pattern.FromBoard(b), vcf.VCT, 3000)
			if r.Outcome == vcf.Win && r.Plies >= 5 {
				verify(t, b, vcf.VCT, r, s)
				wins++
			}
		}
	}
}
