package gomoku

import "math/bits"

// captures finds the pairs that one side could take.
type captures struct {
	// gain, by empty cell, is the number of stones that a stone there takes.
	gain []uint8
	// pairs holds, for each pair, the cell that takes it and its two stones.
	pairs [][3]int16
}

// newCaptures returns room for every pair of a board, so that appending never
// allocates.
func newCaptures(g *geometry) captures {
	n := 0
	for i := range g.lines {
		n += 2 * max(bits.OnesCount32(g.lines[i].cells)-3, 0)
	}
	return captures{gain: make([]uint8, g.size*g.size), pairs: make([][3]int16, 0, n)}
}

// find fills c with what the side whose line masks are own could take from the
// other, whose masks are opp, allowed or not.
func (c *captures) find(g *geometry, own, opp []uint32) {
	clear(c.gain)
	c.pairs = c.pairs[:0]
	for i := range g.lines {
		two := opp[i] & (opp[i] >> 1) // bit k: stones at k and k+1
		if own[i] == 0 || two == 0 {
			continue
		}
		l := &g.lines[i]
		empty := l.cells &^ (own[i] | opp[i])
		for m := two & (empty << 1) & (own[i] >> 2); m != 0; m &= m - 1 {
			k := bits.TrailingZeros32(m)
			c.add(l.at(k-1), l.at(k), l.at(k+1))
		}
		for m := two & (own[i] << 1) & (empty >> 2); m != 0; m &= m - 1 {
			k := bits.TrailingZeros32(m)
			c.add(l.at(k+2), l.at(k), l.at(k+1))
		}
	}
}

func (c *captures) add(taker, first, second int16) {
	c.gain[taker] += 2
	c.pairs = append(c.pairs, [3]int16{taker, first, second})
}
