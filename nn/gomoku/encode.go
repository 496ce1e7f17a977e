package gomoku

import (
	"math/bits"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Encode writes the planes and globals of pos as the package comment defines
// them, the planes under symmetry sym.
func (e *Encoder) Encode(pos game.Position, sym int, planes, globals []float32) {
	p, n := e.patterned(pos), e.size*e.size
	planes = planes[:Planes*n]
	board := planes[PlaneBoard*n : (PlaneBoard+1)*n]
	for i := range board {
		board[i] = 1
	}
	clear(planes[(PlaneBoard+1)*n:])
	e.globals(p.Board(), e.ones(p, sym, planes), globals)
}

// ones writes the ones of every plane but PlaneBoard under symmetry sym and returns the
// number of stones. Package pattern explains why its patterns meet the definitions of
// the package comment.
func (e *Encoder) ones(p *pattern.Board, sym int, planes []float32) (stones int) {
	n, turned := e.size*e.size, e.turned[sym]
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

// globals writes the scalar inputs of b, which holds that many stones.
func (e *Encoder) globals(b *gomoku.Board, stones int, out []float32) {
	r, own := &e.rules, b.ToMove()
	opp := own.Other()
	_ = out[Globals-1]
	out[GlobalExactOwn] = truth(r.Exact[own])
	out[GlobalExactOpp] = truth(r.Exact[opp])
	out[GlobalOppBlocks] = truth(r.OpponentBlocks)
	out[GlobalEdgeBlocks] = truth(r.EdgeBlocks)
	out[GlobalOverlineFree] = truth(r.OverlineFree)
	out[GlobalRenjuOwn] = truth(r.Renju[own])
	out[GlobalRenjuOpp] = truth(r.Renju[opp])
	out[GlobalDoubleThree] = truth(r.DoubleThree)
	out[GlobalCaptures] = truth(r.Captures)
	out[GlobalCapturedOwn] = float32(b.Captured(own)) / 10
	out[GlobalCapturedOpp] = float32(b.Captured(opp)) / 10
	out[GlobalFill] = float32(stones) / float32(e.size*e.size)
	out[GlobalSize] = float32(e.size) / 20
}

func truth(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
