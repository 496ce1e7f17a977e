package gomoku

import (
	"math/bits"

	"github.com/carozero/carozero/game"
)

// flanked returns the pairs that a stone of side on cell takes: bit 2*d for
// the pair ahead in direction d, bit 2*d+1 for the one behind.
func (b *Board) flanked(side game.Side, cell int) uint8 {
	own, opp, p := &b.lines[side], &b.lines[side.Other()], &b.geo.place[cell]
	taken := uint8(0)
	for d := range directions {
		o, q, bit := own[p.line[d]], opp[p.line[d]], uint(p.bit[d])
		ahead := q >> (bit + 1) & (q >> (bit + 2)) & (o >> (bit + 3)) & 1
		behind := q >> (bit - 1) & (q >> (bit - 2)) & (o >> (bit - 3)) & 1
		taken |= uint8(ahead|behind<<1) << (2 * d)
	}
	return taken
}

// takes returns the number of stones that a stone of side on cell takes.
func (b *Board) takes(side game.Side, cell int) int {
	return 2 * bits.OnesCount8(b.flanked(side, cell))
}

// pairCells returns the two cells of a pair of flanked around cell.
func (b *Board) pairCells(cell, pair int) (near, far int) {
	step := b.geo.step[pair/2]
	if pair&1 != 0 {
		step = -step
	}
	return cell + step, cell + 2*step
}

// capture takes the pairs around cell off the board for side, and release puts
// them back; release leaves key and count of the board to the caller's record.
func (b *Board) capture(side game.Side, cell int, taken uint8) {
	b.key = b.key.xor(keys.captured[side][b.captured[side]])
	for pairs := taken; pairs != 0; pairs &= pairs - 1 {
		near, far := b.pairCells(cell, bits.TrailingZeros8(pairs))
		b.remove(side.Other(), near)
		b.remove(side.Other(), far)
	}
	b.captured[side] += 2 * bits.OnesCount8(taken)
	b.key = b.key.xor(keys.captured[side][b.captured[side]])
}

func (b *Board) release(side game.Side, cell int, taken uint8) {
	for pairs := taken; pairs != 0; pairs &= pairs - 1 {
		near, far := b.pairCells(cell, bits.TrailingZeros8(pairs))
		b.put(side.Other(), near)
		b.put(side.Other(), far)
	}
	b.captured[side] -= 2 * bits.OnesCount8(taken)
}

// settleCapture sets the outcome after a move of side on cell under the capture rule. In
// this order a side wins by ten captured stones, by an opponent's five that was not
// broken, or by an own five that cannot be broken.
func (b *Board) settleCapture(side game.Side, cell int) {
	switch {
	case b.captured[side] >= WinningCaptures:
		b.end(game.WinFor(side), game.Capture)
	case b.pending && b.standing(side.Other()):
		b.end(game.WinFor(side.Other()), game.Line)
	default:
		b.pending = false
		if !b.completes(side, cell) {
			return
		}
		if b.breakable(side) {
			b.pending = true
			return
		}
		b.end(game.WinFor(side), game.Line)
	}
}

// breakable reports whether the opponent of side has a capture after which no
// five of side is left, or that takes its tenth stone. A capturing move is
// always legal.
func (b *Board) breakable(side game.Side) bool {
	opp := side.Other()
	var hits rows
	if !b.markCaptures(opp, &hits) {
		return false
	}
	for y, row := range hits[:b.geo.size] {
		for ; row != 0; row &= row - 1 {
			if b.breaks(opp, y*b.geo.size+bits.TrailingZeros32(row)-pad) {
				return true
			}
		}
	}
	return false
}

// breaks reports whether a capture by a stone of side on cell takes the tenth
// stone or leaves the opponent without a five.
func (b *Board) breaks(side game.Side, cell int) bool {
	taken := b.flanked(side, cell)
	if b.captured[side]+2*bits.OnesCount8(taken) >= WinningCaptures {
		return true
	}
	b.togglePairs(side, cell, taken)
	left := b.standing(side.Other())
	b.togglePairs(side, cell, taken)
	return !left
}

// togglePairs flips the stones of pairs around cell on the lines alone.
func (b *Board) togglePairs(side game.Side, cell int, taken uint8) {
	for ; taken != 0; taken &= taken - 1 {
		near, far := b.pairCells(cell, bits.TrailingZeros8(taken))
		b.toggle(side.Other(), near)
		b.toggle(side.Other(), far)
	}
}

// markCaptures adds the empty cells where side captures to hits and reports
// whether there are any.
func (b *Board) markCaptures(side game.Side, hits *rows) bool {
	own, opp, g := &b.lines[side], &b.lines[side.Other()], b.geo
	found := false
	for d, s := range g.span {
		for i := s.lo; i < s.hi; i += 2 {
			q := opp.pair(i)
			pairs := q & (q >> 1)
			if pairs == 0 {
				continue
			}
			o := own.pair(i)
			points := (pairs>>1&(o>>3) | pairs<<2&(o<<3)) & g.valid.pair(i) &^ (o | q)
			for ; points != 0; points &= points - 1 {
				at := bits.TrailingZeros64(points)
				hits.add(g, g.cell(d, i+at>>5, at&31))
				found = true
			}
		}
	}
	return found
}

// markCaptureWins adds the empty cells where side takes its tenth stone to
// hits and reports whether there are any.
func (b *Board) markCaptureWins(side game.Side, hits *rows) bool {
	var captures rows
	if !b.markCaptures(side, &captures) {
		return false
	}
	found := false
	for y, row := range captures[:b.geo.size] {
		for ; row != 0; row &= row - 1 {
			bit := bits.TrailingZeros32(row)
			if b.captured[side]+b.takes(side, y*b.geo.size+bit-pad) >= WinningCaptures {
				hits[y] |= 1 << bit
				found = true
			}
		}
	}
	return found
}

// doubleThree reports whether a stone of side on an empty cell makes two
// free-threes at once without capturing.
func (b *Board) doubleThree(side game.Side, cell int) bool {
	w, p := &b.lines[side], &b.geo.place[cell]
	threes := 0
	for d := range directions {
		line, bit := int(p.line[d]), uint(p.bit[d])
		own, empty := w[line]|1<<bit, b.emptyIn(line)&^(1<<bit)
		if threePoints(own, empty, bit, false) != 0 {
			threes++
		}
	}
	return threes >= 2 && !(b.rules.Captures && b.flanked(side, cell) != 0)
}
