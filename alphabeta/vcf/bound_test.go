package vcf_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// What the search by threes says of a win's length before it looks for the line is an
// upper bound: no win is shorter than the shortest, and the proof that is kept then
// takes no longer.
func TestLengthsAreUpperBounds(t *testing.T) {
	proving := vcf.NewUndeepened(vcf.Options{TableBytes: 1 << 18})
	deepening := vcf.New(vcf.Options{TableBytes: 1 << 18})
	long, bounds, lengths := 0, 0, 0
	check := func(b *gomoku.Board) {
		at := pattern.FromBoard(b)
		shortest := deepening.Solve(context.Background(), at, vcf.VCT, 20_000)
		if shortest.Outcome != vcf.Win || !shortest.Shortest || shortest.Plies < 5 {
			return
		}
		least := shortest.Plies
		bound := proving.Decide(context.Background(), at, vcf.VCT, 20_000)
		if bound.Outcome != vcf.Win {
			return
		}
		if bound.Plies < least {
			t.Errorf("%s: a win within %d plies is claimed, the shortest takes %d\n%v", b.Rules().Name, bound.Plies, least, b)
		}
		kept := proving.Solve(context.Background(), at, vcf.VCT, 200_000)
		if kept.Outcome != vcf.Win || kept.Plies > bound.Plies {
			t.Errorf("%s: %v in %d plies, a win within %d was claimed\n%v", b.Rules().Name, kept.Outcome, kept.Plies,
				bound.Plies, b)
		}
		long, bounds, lengths = long+1, bounds+bound.Plies, lengths+least
	}
	for _, rule := range []string{"freestyle", "standard", "caro", "renju"} {
		b, err := gomoku.ParsePosition(rules(t, rule), 15, "h8a1i8a3j9a15j10o15")
		if err != nil {
			t.Fatal(err)
		}
		check(b)
		rng := rand.New(rand.NewPCG(7, 8))
		for i := range 40 {
			if b := cluster(rules(t, rule), 12, 14+i%8, rng); b != nil && len(b.Wins(nil)) == 0 {
				check(b)
			}
		}
	}
	if long < 10 {
		t.Errorf("only %d wins of five plies and more", long)
	}
	if bounds*10 > lengths*18 {
		t.Errorf("the bounds come to %d plies, the shortest wins to %d: want bounds that say something", bounds, lengths)
	}
}
