package fit

import (
	"math"
	"testing"

	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/regression"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// The mean is what is set by hand, and each weight that a position of the rule
// set can have, and no other, may stray from it.
func TestHandPrior(t *testing.T) {
	for _, rule := range gomoku.Names() {
		r := lookup(t, rule)
		p := HandPrior(r, 1)
		hand := classical.HandWeights(r)
		free := make([]bool, len(p.Mean))
		for _, factor := range p.Factors {
			for _, l := range factor {
				free[l.Weight] = true
				if l.Amount == 0 || math.IsNaN(l.Amount) {
					t.Fatalf("%s: weight %d has a load of %v", rule, l.Weight, l.Amount)
				}
			}
		}
		used := map[int]bool{}
		for _, s := range sections(&r) {
			for f := s.from; f < s.to; f++ {
				used[f] = true
			}
		}
		// Nothing taken, a cell that is nothing to anyone: from these the others count.
		used[classical.Taken], used[classical.Contested] = false, false
		for f := range classical.NumFeatures {
			late := classical.NumFeatures + f
			if p.Mean[f] != float64(hand.Early[f]) || p.Mean[late] != float64(hand.Late[f]) {
				t.Errorf("%s, feature %d: means %v and %v, by hand %d and %d", rule, f, p.Mean[f], p.Mean[late], hand.Early[f], hand.Late[f])
			}
			if free[f] != used[f] || free[late] != used[f] {
				t.Errorf("%s, feature %d: may stray is %v and %v, want %v", rule, f, free[f], free[late], used[f])
			}
		}
	}
}

// What is learnt of one cell is believed of cells that have a line in common
// with it, and more of those that have more in common.
func TestPriorTiesCells(t *testing.T) {
	p := HandPrior(lookup(t, "freestyle"), 1)
	shapes := pattern.CodeShapes()
	find := func(want [4]pattern.Shape) int {
		for code, s := range shapes {
			if s == want {
				return classical.FreeCells + code
			}
		}
		t.Fatalf("no code for %v", want)
		return 0
	}
	void := shapes[0][0]
	three, two := pattern.Shape{Line: pattern.OpenThree}, pattern.Shape{Line: pattern.OpenTwo}
	both := find([4]pattern.Shape{three, two, void, void})
	same := covariance(&p, both, both)
	near := covariance(&p, both, find([4]pattern.Shape{three, two, two, void}))
	far := covariance(&p, both, find([4]pattern.Shape{three, void, void, void}))
	none := covariance(&p, both, classical.Standing)
	if !(same > near && near > 0 && near != far && far > 0 && none == 0) {
		t.Errorf("covariances %v, %v, %v, %v", same, near, far, none)
	}
}

// covariance returns the covariance of two weights.
func covariance(p *regression.Prior, a, b int) (sum float64) {
	for _, factor := range p.Factors {
		var atA, atB float64
		for _, l := range factor {
			if l.Weight == a {
				atA += l.Amount
			}
			if l.Weight == b {
				atB += l.Amount
			}
		}
		sum += atA * atB
	}
	return sum
}
