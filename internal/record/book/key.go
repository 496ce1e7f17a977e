package book

import (
	"bytes"
	"encoding/binary"
	"fmt"
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

// cellWords holds a bit for each cell of the largest board.
type cellWords [(gomoku.MaxSize*gomoku.MaxSize + 63) / 64]uint64

// images holds the images of all cells under each symmetry, by the size of the board. It
// never changes.
var images = newImages()

func newImages() *[gomoku.MaxSize + 1][gomoku.Symmetries][]uint16 {
	var all [gomoku.MaxSize + 1][gomoku.Symmetries][]uint16
	for size := gomoku.MinSize; size <= gomoku.MaxSize; size++ {
		for sym := range gomoku.Symmetries {
			for cell := range size * size {
				all[size][sym] = append(all[size][sym], uint16(gomoku.Transform(size, sym, cell)))
			}
		}
	}
	return &all
}

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
			other = appendCells(other, images[size][sym], cells)
		}
		if best.key == nil || bytes.Compare(other, best.key) < 0 {
			best.key, best.sym, other = other, sym, best.key
		}
	}
	return best
}

// Key returns the key of a position without its variant, the same for all its symmetries.
func Key(b *gomoku.Board) string { return string(placeOf(b).key) }

// Board returns the position of a key, without a history, in the orientation in which it
// is stored. The error wraps ErrDamaged unless it is a key that Key gives.
func (v Variant) Board(key string) (*gomoku.Board, error) { return v.boardOf([]byte(key)) }

// appendCells appends the images of cells under a symmetry.
func appendCells(key []byte, image []uint16, cells []int) []byte {
	var set cellWords
	for _, c := range cells {
		to := image[c]
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
	return game.Move(images[size][sym][m])
}

// boardOf returns the position of a key. The error wraps ErrDamaged unless the key is
// one that placeOf gives.
func (v Variant) boardOf(key []byte) (*gomoku.Board, error) {
	s, err := v.setupOf(key)
	if err != nil {
		return nil, err
	}
	b, err := gomoku.NewSetup(v.Rules, v.Size, s)
	if err != nil {
		return nil, damaged("position %x: %v", key, err)
	}
	if b.Outcome() != game.Undecided {
		return nil, damaged("position %x: the game is over in it", key)
	}
	if p := placeOf(b); !bytes.Equal(p.key, key) {
		return nil, damaged("position %x is not stored under its smallest key", key)
	}
	return b, nil
}

// setupOf reads a key.
func (v Variant) setupOf(key []byte) (s gomoku.Setup, err error) {
	s.Stones = make([]gomoku.Stone, v.Size*v.Size)
	rest := key
	if len(rest) == 0 {
		return s, damaged("a position without a key")
	}
	flags := rest[0]
	s.ToMove, rest = game.Side(flags&secondToMove), rest[1:]
	if flags&captures != 0 && len(rest) >= 2 {
		s.Captured, rest = [2]int{int(rest[0]), int(rest[1])}, rest[2:]
	}
	first, n := binary.Uvarint(rest)
	if n <= 0 || first > uint64(len(s.Stones)) {
		return s, damaged("position %x: its number of stones cannot be read", key)
	}
	rest = rest[n:]
	last := -1
	for i := 0; len(rest) > 0; i++ {
		gap, n := binary.Uvarint(rest)
		if i == int(first) {
			last = -1
		}
		if n <= 0 || gap >= uint64(len(s.Stones)) || last+1+int(gap) >= len(s.Stones) {
			return s, damaged("position %x: stone %d is on no cell of the board", key, i+1)
		}
		rest, last = rest[n:], last+1+int(gap)
		if s.Stones[last] != gomoku.Empty {
			return s, damaged("position %x: two stones on one cell", key)
		}
		s.Stones[last] = gomoku.FirstStone
		if i >= int(first) {
			s.Stones[last] = gomoku.SecondStone
		}
	}
	return s, nil
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}
