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

// renju judges a stone of side on an empty cell by articles 9.2 and 9.3 of the
// RIF rules. The definition is recursive: whether a three counts depends on
// whether the cell that makes it a straight four is forbidden in turn, with the
// first stone on the board. Each level adds a stone, so it ends.
func (b *Board) renju(side game.Side, cell int) verdict {
	w, p := &b.lines[side], &b.geo.place[cell]
	overline, fours, threes := false, 0, 0
	var points [directions]uint32
	for d := range directions {
		line, bit := int(p.line[d]), uint(p.bit[d])&31
		own := w[line]
		if near := own >> (bit - 4) & nearby; near&(near-1) == 0 {
			continue
		}
		own |= 1 << bit
		switch length := above(own, bit) - below(own, bit) - 1; {
		case length == 5:
			return renjuFive
		case length > 5:
			overline = true
		}
		empty := b.emptyIn(line) &^ (1 << bit)
		fours += fourCount(own, empty, bit)
		if points[d] = threePoints(own, empty, bit, true); points[d] != 0 {
			threes++
		}
	}
	switch {
	case overline || fours >= 2:
		return renjuForbidden
	case threes < 2:
		return renjuFree
	}
	b.toggle(side, cell)
	for d := 0; d < directions && threes >= 2; d++ {
		if points[d] != 0 && !b.straightens(side, d, int(p.line[d]), points[d]) {
			threes--
		}
	}
	b.toggle(side, cell)
	if threes >= 2 {
		return renjuForbidden
	}
	return renjuFree
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
