package book

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// A key is what the rules read of a position, as bytes:
//
//	1 byte     bit 0: second is to move; bit 1: stones have been captured
//	2 bytes    stones captured by first and by second, only if bit 1 is set
//	uvarint    number of stones of first
//	uvarints   first's cells in ascending order, each as its distance from the one
//	           before (the first one from -1), less 1
//	uvarints   second's cells, likewise
//
// The rules read nothing else of the history: even the opening rule looks at the stones
// alone. A position is stored under the smallest key of its eight symmetries.

// Bits of a key's first byte.
const (
	secondToMove = 1 << 0
	captures     = 1 << 1
)

// place is where a position is stored, and the symmetry that takes its cells to those of
// the key.
type place struct {
	key []byte
	sym int
}

// placeOf returns the place of a position.
func placeOf(b *gomoku.Board) place {
	var stones [2][]int
	var room [2][64]int
	size := b.Size()
	for side := range stones {
		stones[side] = room[side][:0]
		for y := range size {
			for row := b.Row(game.Side(side), y); row != 0; row &= row - 1 {
				if x := bits.TrailingZeros32(row); x < size {
					stones[side] = append(stones[side], y*size+x)
				}
			}
		}
	}
	head := []byte{0}
	if b.ToMove() == game.Second {
		head[0] |= secondToMove
	}
	if taken := [2]int{b.Captured(game.First), b.Captured(game.Second)}; taken != [2]int{} {
		head[0] |= captures
		head = append(head, byte(taken[0]), byte(taken[1]))
	}
	head = binary.AppendUvarint(head, uint64(len(stones[game.First])))
	best := place{}
	var other []byte
	for sym := range gomoku.Symmetries {
		other = append(other[:0], head...)
		for _, cells := range stones {
			other = appendCells(other, size, sym, cells)
		}
		if best.key == nil || bytes.Compare(other, best.key) < 0 {
			best.key, best.sym, other = other, sym, best.key
		}
	}
	return best
}

// Key returns the key of a position without its variant, the same for all its symmetries.
func Key(b *gomoku.Board) string { return string(placeOf(b).key) }

// appendCells appends the images of cells under a symmetry.
func appendCells(key []byte, size, sym int, cells []int) []byte {
	var set [(gomoku.MaxSize*gomoku.MaxSize + 63) / 64]uint64
	for _, c := range cells {
		to := gomoku.Transform(size, sym, c)
		set[to>>6] |= 1 << (to & 63)
	}
	last := -1
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			at := i<<6 + bits.TrailingZeros64(w)
			key = binary.AppendUvarint(key, uint64(at-last-1))
			last = at
		}
	}
	return key
}

// inverse returns the symmetry that undoes another: turns are undone by the rest of a
// full turn, and what begins with a transposition is a reflection.
func inverse(sym int) int {
	if sym >= 4 {
		return sym
	}
	return (4 - sym) % 4
}

// stored returns a move of the caller as it is stored, own a stored one as the caller
// has it. NoMove stays.
func (p place) stored(size int, m game.Move) game.Move { return turned(size, p.sym, m) }
func (p place) own(size int, m game.Move) game.Move    { return turned(size, inverse(p.sym), m) }

func turned(size, sym int, m game.Move) game.Move {
	if m == game.NoMove {
		return m
	}
	return game.Move(gomoku.Transform(size, sym, int(m)))
}

// Board returns the position of a key, without a history, in the orientation in which it
// is stored. The error wraps ErrDamaged unless it is a key that Key gives.
func (v Variant) Board(key string) (*gomoku.Board, error) {
	s, ok := v.setupOf([]byte(key))
	if ok {
		b, err := gomoku.NewSetup(v.Rules, v.Size, s)
		if err == nil && b.Outcome() == game.Undecided && Key(b) == key {
			return b, nil
		}
	}
	return nil, damaged("%x is not the key of a position of %s in which there is a move to find", key, v)
}

// setupOf reads a key.
func (v Variant) setupOf(key []byte) (s gomoku.Setup, ok bool) {
	s.Stones = make([]gomoku.Stone, v.Size*v.Size)
	if len(key) < 2 {
		return s, false
	}
	flags, rest := key[0], key[1:]
	s.ToMove = game.Side(flags & secondToMove)
	if flags&captures != 0 && len(rest) >= 2 {
		s.Captured, rest = [2]int{int(rest[0]), int(rest[1])}, rest[2:]
	}
	first, n := binary.Uvarint(rest)
	if n <= 0 {
		return s, false
	}
	rest = rest[n:]
	last := -1
	for i := uint64(0); len(rest) > 0; i++ {
		gap, n := binary.Uvarint(rest)
		if i == first {
			last = -1
		}
		if n <= 0 || gap >= uint64(len(s.Stones)) || last+1+int(gap) >= len(s.Stones) {
			return s, false
		}
		rest, last = rest[n:], last+1+int(gap)
		s.Stones[last] = gomoku.FirstStone
		if i >= first {
			s.Stones[last] = gomoku.SecondStone
		}
	}
	return s, true
}
