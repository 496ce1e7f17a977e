package gomoku

import (
	"math/bits"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// fromPattern writes the planes of a board that keeps its patterns up to date,
// under symmetry sym, and returns the number of stones. Only ones are written.
// The definitions are those of the package comment; how the patterns amount to
// them is told in package pattern.
func (e *Encoder) fromPattern(p *pattern.Board, sym int, planes []float32) (stones int) {
	n, turned := len(e.cells), e.geo.turned[sym]
	plane := func(i int) []float32 { return planes[i*n : (i+1)*n] }
	own, board := p.ToMove(), p.Board()

	ours, theirs := plane(PlaneOwn), plane(PlaneOpp)
	all, stone := p.Stones(), gomoku.StoneOf(own)
	for c := all.Next(0); c >= 0; c = all.Next(c + 1) {
		if board.At(c) == stone {
			ours[turned[c]] = 1
		} else {
			theirs[turned[c]] = 1
		}
		stones++
	}
	closed := p.Closed(own)
	mark(plane(PlaneForbidden), turned, &closed)
	for view, s := range [2]game.Side{own, own.Other()} {
		t := p.Threats(s)
		mark(plane(PlaneFiveOwn+view), turned, &t.Five)
		mark(plane(PlaneOpenFourOwn+view), turned, &t.OpenFour)
		mark(plane(PlaneFourOwn+view), turned, &t.Four)
		if e.rules.Captures {
			prey := p.Capturable(s)
			mark(plane(PlaneCapturableOwn+view), turned, &prey)
		}
	}
	return stones
}

// mark sets the images of the cells of s to 1.
func mark(plane []float32, turned []int16, s *pattern.Set) {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			plane[turned[i<<6+bits.TrailingZeros64(w)]] = 1
		}
	}
}
