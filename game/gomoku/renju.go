package gomoku

import (
	"math/bits"

	"github.com/carozero/carozero/game"
)

// verdict is what the renju rules say of a move of a restricted side.
type verdict uint8

const (
	renjuFree verdict = iota
	renjuForbidden
	renjuFive // exactly five: allowed whatever else the move makes
)

// shapes is what a stone of a restricted side makes.
type shapes struct {
	five, overline bool
	fours, threes  int
	points         [directions]uint32 // that make a three a straight four
}

// renju returns the verdict on a stone of side on an empty cell by articles 9.2 and 9.3
// of the RIF rules. The definition is recursive: whether a three counts depends on whether
// the cell that makes it a straight four is forbidden after the first stone. Each level
// adds a stone, so the recursion ends.
func (b *Board) renju(side game.Side, cell int) verdict {
	made := b.renjuShapes(side, cell)
	switch {
	case made.five:
		return renjuFive
	case made.overline || made.fours >= 2:
		return renjuForbidden
	case made.threes >= 2 && b.doubleThreeStands(side, cell, &made):
		return renjuForbidden
	}
	return renjuFree
}

// renjuShapes returns what a stone of side on an empty cell makes. If it makes exactly
// five, nothing else is computed.
func (b *Board) renjuShapes(side game.Side, cell int) (s shapes) {
	w, p := &b.lines[side], &b.geo.place[cell]
	for d := range directions {
		line, bit := int(p.line[d]), uint(p.bit[d])&31
		own := w[line]
		if near := own >> (bit - 4) & nearby; near&(near-1) == 0 {
			continue
		}
		own |= 1 << bit
		switch length := above(own, bit) - below(own, bit) - 1; {
		case length == 5:
			s.five = true
			return s
		case length > 5:
			s.overline = true
		}
		empty := b.emptyIn(line) &^ (1 << bit)
		s.fours += fourCount(own, empty, bit)
		if s.points[d] = threePoints(own, empty, bit, true); s.points[d] != 0 {
			s.threes++
		}
	}
	return s
}

// doubleThreeStands reports whether at least two of the threes that a stone on
// cell makes can become straight fours.
func (b *Board) doubleThreeStands(side game.Side, cell int, s *shapes) bool {
	p, threes := &b.geo.place[cell], s.threes
	b.toggle(side, cell)
	for d := 0; d < directions && threes >= 2; d++ {
		if s.points[d] != 0 && !b.straightens(side, d, int(p.line[d]), s.points[d]) {
			threes--
		}
	}
	b.toggle(side, cell)
	return threes >= 2
}

// straightens reports whether a three becomes a straight four by a stone on
// one of points that neither makes five nor is forbidden.
func (b *Board) straightens(side game.Side, d, line int, points uint32) bool {
	for ; points != 0; points &= points - 1 {
		if b.renju(side, b.geo.cell(d, line, bits.TrailingZeros32(points))) == renjuFree {
			return true
		}
	}
	return false
}
