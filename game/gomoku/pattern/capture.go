package pattern

import (
	"math/bits"

	"github.com/carozero/carozero/game"
)

// flanked returns the pairs that a stone of side on the empty cell c takes: bit
// 2*d for the pair ahead in direction d, bit 2*d+1 for the one behind.
func (b *Board) flanked(side game.Side, c int) (taken uint8) {
	own, opp := stoneBits(side), stoneBits(side.Other())
	forth, back := opp|opp<<2|own<<4, own|opp<<2|opp<<4
	for d, p := range &b.geo.place[c] {
		key := b.lines[p.line] >> (2 * p.at & 63)
		if key>>ahead&63 == forth {
			taken |= 1 << (2 * d)
		}
		if key>>(armBits-6)&63 == back {
			taken |= 2 << (2 * d)
		}
	}
	return taken
}

// pair returns the two cells of a pair of flanked around c.
func (b *Board) pair(c, pair int) (one, two int) {
	step := b.geo.step[pair/2]
	if pair&1 != 0 {
		step = -step
	}
	return c + step, c + 2*step
}

// take removes the pairs that side's stone on c captures.
func (b *Board) take(side game.Side, c int, taken uint8) {
	for ; taken != 0; taken &= taken - 1 {
		one, two := b.pair(c, bits.TrailingZeros8(taken))
		b.remove(side.Other(), one)
		b.remove(side.Other(), two)
	}
	b.gatherHalos()
}

// remove takes a stone of side off a cell.
func (b *Board) remove(side game.Side, c int) {
	b.toggle(side, c)
	b.set(c, b.computed(c))
	b.refresh(c)
}

// Takes returns the number of stones that a stone of side on the empty cell c
// captures.
func (b *Board) Takes(side game.Side, c int) int {
	if !b.rules.Captures {
		return 0
	}
	return 2 * bits.OnesCount8(b.flanked(side, c))
}

// CaptureCells returns the empty cells where a stone of side captures.
func (b *Board) CaptureCells(side game.Side) (cells Set) {
	b.eachPair(side, func(taker, _, _ int) { cells.Add(taker) })
	return cells
}

// Capturable returns the stones of side that its opponent could capture by one
// stone. No rule forbids a stone that captures.
func (b *Board) Capturable(side game.Side) (stones Set) {
	b.eachPair(side.Other(), func(_, one, two int) {
		stones.Add(one)
		stones.Add(two)
	})
	return stones
}

// eachPair calls f for every pair that side could capture: the empty cell that
// takes it and its two stones.
func (b *Board) eachPair(side game.Side, f func(taker, one, two int)) {
	if !b.rules.Captures {
		return
	}
	stone, prey := stoneBits(side), stoneBits(side.Other())
	for i, run := range b.geo.runs[:6*b.geo.size-2] {
		line := b.lines[i]
		opp := only(line, prey)
		two := opp & (opp >> 2) // at the first stone of two
		if two == 0 {
			continue
		}
		own, empty := only(line, stone), only(line, vacant)
		for _, v := range [2]struct {
			pairs uint64
			taker int // from the first stone
		}{{two & (empty << 2) & (own >> 4), -1}, {two & (own << 2) & (empty >> 4), 2}} {
			for m := v.pairs; m != 0; m &= m - 1 {
				at := bits.TrailingZeros64(m)/2 - reach
				one := int(run.first) + at*int(run.step)
				f(one+v.taker*int(run.step), one, one+int(run.step))
			}
		}
	}
}

// only returns the low bit of each cell of a line that has the content.
func only(line, content uint64) uint64 {
	const low = 0x5555555555555555
	line ^= content * low // a cell of that content is 0 now
	return ^(line | line>>1) & low
}
