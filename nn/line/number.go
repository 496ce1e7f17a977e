package line

import (
	"sync"

	"github.com/carozero/carozero/game/gomoku/pattern"
)

// An arm of a line is the up to five cells on one side of a cell, nearest first, until
// the edge of the board. Its number is (3^n-1)/2 + the sum of content*3^i over its n
// cells i, where content is 0 for an empty cell, 1 for a stone of the side whose
// features are computed and 2 for one of the other side.
const (
	reach    = 5
	armCount = 364 // 1 + 3 + 9 + 27 + 81 + 243
	contents = 3
)

// pairCount is the number of unordered pairs of arms, lineCount the number of lines of
// eleven cells, each with the content in the middle and an unordered pair of arms.
const (
	pairCount = armCount * (armCount + 1) / 2
	lineCount = contents * pairCount
)

// pair returns the number of an unordered pair of arms.
func pair(a, b uint32) uint32 {
	high, low := max(a, b), min(a, b)
	return high*(high+1)/2 + low
}

// bare returns the number of an arm of that many empty cells.
func bare(cells int) (number uint32) {
	for i := range min(cells, reach) {
		number += powers[i]
	}
	return number
}

// powers are the powers of three.
var powers = [reach]uint32{1, 3, 9, 27, 81}

// swapped returns a content as the other side sees it.
func swapped(content uint32) uint32 { return (contents - content) % contents }

// swappedArms returns the number of every arm as the other side sees it.
func swappedArms() (numbers [armCount]uint32) {
	arm := 0
	for cells := range reach + 1 {
		for value := range count(cells) {
			numbers[arm] = bare(cells)
			for i := range cells {
				numbers[arm] += swapped(value/powers[i]%contents) * powers[i]
			}
			arm++
		}
	}
	return numbers
}

// count returns how many arms of that many cells there are.
func count(cells int) uint32 {
	if cells == 0 {
		return 1
	}
	return contents * powers[cells-1]
}

// codeTable maps 16 bits of pattern.Board.Quads to the offset of the code's row in
// packed.rows, counted from the first code; a cell with a stone maps to noCode's row.
type codeTable [1 << 16]uint32

// codeTables has the table of every number of blocks of 16 channels, computed at
// the first call.
var codeTables = func() (all [MaxChannels/16 + 1]func() *codeTable) {
	for blocks := range all {
		all[blocks] = sync.OnceValue(func() *codeTable {
			t := new(codeTable)
			for quad := range t {
				t[quad] = uint32(pattern.CodeOf(uint16(quad))) * uint32(32*blocks)
			}
			t[pattern.NoQuads&0xffff] = uint32(noCode * 32 * blocks)
			return t
		})
	}
	return all
}()
