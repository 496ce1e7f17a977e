package line

import (
	"sync"

	"github.com/carozero/carozero/game/gomoku/pattern"
)

// An arm of a line is up to five cells from one outward, nearest first, until the
// edge of the board. Its number is (3^n-1)/2 + the sum of content*3^i over its n
// cells i, where a content is 0 for an empty cell, 1 for a stone of the side that
// looks and 2 for one of the other.
const (
	reach    = 5
	armCount = 364 // 1 + 3 + 9 + 27 + 81 + 243
	armBits  = 2 * reach
	armKeys  = 1 << armBits
	edge     = 3 // the content of what is beyond the edge, in a key
)

// pairCount is the number of unordered pairs of arms, lineCount that of the lines
// of eleven cells: a content in the middle, and two arms, either way round.
const (
	pairCount = armCount * (armCount + 1) / 2
	lineCount = 3 * pairCount
)

// quads are 16 bits of four shapes in package pattern.
const quads = 1 << 16

// numbering turns keys of package pattern into numbers of lines. The numbers of an
// arm as First sees it and as Second does are in the low and the high half.
type numbering struct {
	behind, ahead [armKeys]uint32 // by the bits of an arm with the farthest or the nearest cell lowest
	middle        [2][8]uint32    // by side and content
	codes         [quads]uint16   // of quads of package pattern, noCode of none

	_ [2]uint16 // kernels read four bytes of codes
}

// of returns the numbers of the line with a key, as either side sees it.
func (n *numbering) of(key uint64) (first, second uint32) {
	a, b := n.behind[key&(armKeys-1)], n.ahead[key>>(armBits+2)&(armKeys-1)]
	content := key >> armBits & 3
	return n.middle[0][content] + pair(a&0xffff, b&0xffff), n.middle[1][content] + pair(a>>16, b>>16)
}

// pair returns the number of an unordered pair of arms.
func pair(a, b uint32) uint32 {
	high, low := max(a, b), min(a, b)
	return high*(high+1)/2 + low
}

// numbers returns the numbering, computed at the first call.
var numbers = sync.OnceValue(func() *numbering {
	n := new(numbering)
	for side := range 2 {
		own := uint64(1 + side)
		for key := range uint64(armKeys) {
			number := uint32(armNumber(key, own)) << (16 * side)
			n.ahead[key] |= number
			n.behind[reversed(key)] |= number
		}
		for content := range uint64(edge) {
			n.middle[side][content] = uint32(seen(content, own) * pairCount)
		}
	}
	for quad := range n.codes {
		n.codes[quad] = pattern.CodeOf(uint16(quad))
	}
	n.codes[pattern.NoQuads&0xffff] = uint16(noCode)
	return n
})

// armNumber returns the number of an arm of which the nearest cell is lowest. What
// comes beyond the edge is not looked at.
func armNumber(key, own uint64) int {
	number, power := 0, 1
	for i := range reach {
		content := key >> (2 * i) & 3
		if content == edge {
			break
		}
		number += power + seen(content, own)*power
		power *= 3
	}
	return number
}

// seen returns the content of a cell as the side with that stone sees it.
func seen(content, own uint64) int {
	switch content {
	case 0:
		return 0
	case own:
		return 1
	}
	return 2
}

// reversed returns an arm read from its other end.
func reversed(key uint64) (r uint64) {
	for i := range reach {
		r = r<<2 | key>>(2*i)&3
	}
	return r
}
