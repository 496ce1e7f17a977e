package gomoku

import (
	"math/bits"

	"github.com/carozero/carozero/game"
)

// below returns the highest clear bit under bit, and above the lowest clear
// bit over it: the cells next to the ends of the run of stones around bit.
// The pad bits make sure that both exist for any bit from 2 to 30.
func below(own uint32, bit uint) uint { return uint(31 - bits.LeadingZeros32(^own&(1<<bit-1))) }
func above(own uint32, bit uint) uint { return uint(bits.TrailingZeros32(^own &^ (2<<bit - 1))) }

func has(word uint32, bit uint) bool { return word>>(bit&31)&1 != 0 }

// runWins reports whether the maximal run between the clear bits lo and hi
// wins. block holds the cells that block an end; 0 where ends are ignored.
func runWins(lo, hi uint, block uint32, exact bool) bool {
	switch length := hi - lo - 1; {
	case length < 5:
		return false
	case length == 5:
		return !(has(block, lo) && has(block, hi))
	default:
		return !exact
	}
}

// fives returns the bits where one more stone completes a winning run, in the
// two lines that the words hold; the caller masks out the cells that are not
// empty. A winning run is one of exactly five that block does not hold at both
// ends, and without exact also any longer one.
func fives(own, block uint64, exact bool) uint64 {
	l1, r1 := own<<1, own>>1
	l2, r2 := l1&(own<<2), r1&(own>>2)
	l3, r3 := l2&(own<<3), r2&(own>>3)
	l4, r4 := l3&(own<<4), r3&(own>>4)
	if !exact && block == 0 {
		return l4 | l3&r1 | l2&r2 | l1&r3 | r4
	}
	stop := func(left, right uint) uint64 {
		return own<<left | own>>right | (block<<left)&(block>>right)
	}
	won := r4&^stop(1, 5) | l1&r3&^stop(2, 4) | l2&r2&^stop(3, 3) | l3&r1&^stop(4, 2) | l4&^stop(5, 1)
	if !exact {
		won |= l4&(own<<5) | l4&r1 | l3&r2 | l2&r3 | l1&r4 | r4&(own>>5)
	}
	return won
}

// fourCount returns how many fours the stone at bit is part of, in a line
// where only exactly five counts and bit is set in own: rows of four that one
// stone on an empty cell makes five. A straight four is one; two can share a
// line.
func fourCount(own, empty uint32, bit uint) int {
	lo, hi := below(own, bit), above(own, bit)
	left := has(empty, lo) && hi-below(own, lo)-1 == 5
	right := has(empty, hi) && above(own, hi)-lo-1 == 5
	switch {
	case left && right && hi-lo-1 < 4:
		return 2
	case left || right:
		return 1
	}
	return 0
}

// threePoints returns the bits where one more stone turns the three that the
// stone at bit is part of into an open four: four unbroken stones with an
// empty cell at both ends. With exact, both ends must make exactly five; then
// the points belong to one three. Without it each of the two points can have a
// three of its own, as in _XX_N_XX_; callers count them as one a line.
func threePoints(own, empty uint32, bit uint, exact bool) uint32 {
	lo, hi := below(own, bit), above(own, bit)
	points := uint32(0)
	if has(empty, lo) && openFour(own, empty, below(own, lo), hi, exact) {
		points |= 1 << lo
	}
	if has(empty, hi) && openFour(own, empty, lo, above(own, hi), exact) {
		points |= 1 << hi
	}
	return points
}

// openFour reports whether a run of own stones between lo and hi, not
// included, would be an open four.
func openFour(own, empty uint32, lo, hi uint, exact bool) bool {
	if hi-lo-1 != 4 || !has(empty, lo) || !has(empty, hi) {
		return false
	}
	return !exact || !has(own, lo-1) && !has(own, hi+1)
}

// RunThrough returns the length of the longest run of side's stones through a
// cell that holds one.
func (b *Board) RunThrough(side game.Side, cell int) (longest int) {
	w, p := &b.lines[side], &b.geo.place[cell]
	for d := range directions {
		own, bit := w[p.line[d]], uint(p.bit[d])
		longest = max(longest, int(above(own, bit)-below(own, bit))-1)
	}
	return longest
}
