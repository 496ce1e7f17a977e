package pattern

import (
	"math/bits"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

const maxCells = gomoku.MaxSize * gomoku.MaxSize

// maxCellsRound is maxCells rounded up to a power of two, so that an index can
// be masked.
const maxCellsRound = 64 * setWords

// setWords is the length of a Set: one bit for each cell of the largest board.
const setWords = (maxCells + 63) / 64

// Set is a set of cells: cell c is bit c%64 of word c/64. The zero value is
// empty.
type Set [setWords]uint64

// Has reports whether cell is in the set.
func (s *Set) Has(cell int) bool { return s[cell>>6]>>(cell&63)&1 != 0 }

// Add puts cell into the set.
func (s *Set) Add(cell int) { s[cell>>6] |= 1 << (cell & 63) }

// Remove takes cell out of the set.
func (s *Set) Remove(cell int) { s[cell>>6] &^= 1 << (cell & 63) }

// Len returns the number of cells.
func (s *Set) Len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Empty reports whether there is no cell in the set.
func (s *Set) Empty() bool { return *s == Set{} }

// Next returns the first cell of the set that is at least from, -1 if there is
// none. A loop over the set is
//
//	for c := s.Next(0); c >= 0; c = s.Next(c + 1) { ... }
func (s *Set) Next(from int) int {
	i := from >> 6
	if i >= setWords {
		return -1
	}
	if w := s[i] >> (from & 63); w != 0 {
		return from + bits.TrailingZeros64(w)
	}
	for i++; i < setWords; i++ {
		if s[i] != 0 {
			return i<<6 + bits.TrailingZeros64(s[i])
		}
	}
	return -1
}

// Append appends the cells in ascending order.
func (s *Set) Append(buf []game.Move) []game.Move {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			buf = append(buf, game.Move(i<<6+bits.TrailingZeros64(w)))
		}
	}
	return buf
}

// Or returns the union of two sets, And what they have in common, and Without
// what is in s and not in t.
func (s Set) Or(t *Set) Set {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

// And returns what s and t have in common.
func (s Set) And(t *Set) Set {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

// Without returns what is in s and not in t.
func (s Set) Without(t *Set) Set {
	for i := range s {
		s[i] &^= t[i]
	}
	return s
}
