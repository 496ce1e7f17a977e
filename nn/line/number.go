package line

import "sync"

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

// numbering turns keys of package pattern into numbers of lines as one side sees
// them.
type numbering struct {
	behind, ahead [armKeys]uint16 // number of the arm with those bits, farthest or nearest lowest
	middle        [4]uint32
}

// of returns the number of the line with a key.
func (n *numbering) of(key uint64) uint32 {
	a, b := uint32(n.behind[key&(armKeys-1)]), uint32(n.ahead[key>>(armBits+2)&(armKeys-1)])
	high, low := max(a, b), min(a, b)
	return n.middle[key>>armBits&3] + high*(high+1)/2 + low
}

// numberings returns the numberings of the two sides.
var numberings = sync.OnceValue(func() *[2]numbering {
	all := new([2]numbering)
	for side := range all {
		n := &all[side]
		own := uint64(1 + side)
		for key := range uint64(armKeys) {
			n.ahead[key] = uint16(armNumber(key, own))
			n.behind[reversed(key)] = n.ahead[key]
		}
		for content := range uint64(edge) {
			n.middle[content] = uint32(seen(content, own) * pairCount)
		}
	}
	return all
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
