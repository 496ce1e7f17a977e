package gomoku

import (
	"math/bits"

	"github.com/carozero/carozero/game"
)

// Symmetries is the number of symmetries of a square board. Symmetry 0 is the
// identity.
const Symmetries = 8

// Transform returns the image of a cell, 0..size*size-1, under the symmetry
// sym = 4*t + r, 0..7: first, if t is 1, a transposition (x, y) -> (y, x),
// then r quarter turns, each (x, y) -> (size-1-y, x).
func Transform(size, sym, cell int) int {
	x, y := cell%size, cell/size
	if sym&4 != 0 {
		x, y = y, x
	}
	switch sym & 3 {
	case 1:
		x, y = size-1-y, x
	case 2:
		x, y = size-1-x, size-1-y
	case 3:
		x, y = y, size-1-x
	}
	return y*size + x
}

// Setup returns the position without its history, under the symmetry sym.
func (b *Board) Setup(sym int) Setup {
	s := Setup{Stones: make([]Stone, b.geo.cells), ToMove: b.toMove, Captured: b.captured}
	for c := range s.Stones {
		s.Stones[Transform(b.Size(), sym, c)] = b.At(c)
	}
	return s
}

// key is a 128-bit Zobrist key.
type key [2]uint64

func (k key) xor(o key) key { return key{k[0] ^ o[0], k[1] ^ o[1]} }

// maxCaptured bounds the stones that a side can have captured: eight before
// its last move, and eight pairs by it.
const maxCaptured = 8 + 16

// zobrist holds one random key for each fact that the rules read of a
// position. It never changes, so keys are the same in every process.
type zobrist struct {
	empty    key // the empty board, First to move
	second   key // Second is to move
	stone    [maxCells][2]key
	captured [2][maxCaptured + 1]key // by the side that captured
}

var keys = newZobrist(0x6361726f7a65726f)

// newZobrist fills the keys from the splitmix64 sequence of a seed (Steele,
// Lea and Flood 2014). Having captured nothing is the key zero.
func newZobrist(seed uint64) *zobrist {
	next := func() uint64 {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	pair := func() key { return key{next(), next()} }
	z := &zobrist{empty: pair(), second: pair()}
	for c := range z.stone {
		z.stone[c] = [2]key{pair(), pair()}
	}
	for side := range z.captured {
		for n := 1; n <= maxCaptured; n++ {
			z.captured[side][n] = pair()
		}
	}
	return z
}

// of computes the key of a board from scratch.
func (z *zobrist) of(b *Board) key {
	k := z.empty
	if b.toMove == game.Second {
		k = k.xor(z.second)
	}
	for c, s := range b.cells[:b.geo.cells] {
		if s != Empty {
			k = k.xor(z.stone[c][s.Side()])
		}
	}
	for side, n := range b.captured {
		k = k.xor(z.captured[side][n])
	}
	return k
}

// KeyAfter returns the Key that the position will have once the side to move
// has played on the empty cell m, captured stones taken off, without playing.
func (b *Board) KeyAfter(m game.Move) [2]uint64 {
	side, cell := b.toMove, int(m)
	k := b.key.xor(keys.stone[cell][side]).xor(keys.second)
	if !b.rules.Captures {
		return k
	}
	taken := b.flanked(side, cell)
	if taken == 0 {
		return k
	}
	k = k.xor(keys.captured[side][b.captured[side]])
	for pairs := taken; pairs != 0; pairs &= pairs - 1 {
		near, far := b.pairCells(cell, bits.TrailingZeros8(pairs))
		k = k.xor(keys.stone[near][side.Other()]).xor(keys.stone[far][side.Other()])
	}
	return k.xor(keys.captured[side][b.captured[side]+2*bits.OnesCount8(taken)])
}
