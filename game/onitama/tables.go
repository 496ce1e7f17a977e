package onitama

import (
	"sync"

	"github.com/carozero/carozero/game"
)

// The temples: each master starts on its own and wins on the other.
const (
	firstTemple  = 2  // c1
	secondTemple = 22 // c5
)

// Kinds of pieces, as the hash tells them apart.
const (
	student = iota
	master
)

// tables holds what follows from the cards alone. It is shared and never
// written once built.
type tables struct {
	targets [2][Cards][Squares]uint32 // by side, card and square: where a piece can step
	piece   [2][2][Squares]uint64     // hash keys by side, kind and square
	held    [3][Cards]uint64          // hash keys by holder (first, second, side card) and card
	turn    uint64                    // hash key of second to move
}

// aside is the holder of the side card in tables.held.
const aside = 2

// sharedTables builds the tables when they are first needed.
var sharedTables = sync.OnceValue(newTables)

func newTables() *tables {
	t := new(tables)
	for card := range faces {
		for from := range Squares {
			for _, v := range faces[card].vectors {
				t.targets[game.First][card][from] |= squareBit(from%5+int(v.DX), from/5+int(v.DY))
				t.targets[game.Second][card][from] |= squareBit(from%5-int(v.DX), from/5-int(v.DY))
			}
		}
	}
	k := keys(0x6F6E6974616D61) // any seed will do
	for side := range t.piece {
		for kind := range t.piece[side] {
			for sq := range t.piece[side][kind] {
				t.piece[side][kind][sq] = k.next()
			}
		}
	}
	for holder := range t.held {
		for card := range t.held[holder] {
			t.held[holder][card] = k.next()
		}
	}
	t.turn = k.next()
	return t
}

// squareBit returns the set of the square at x, y, empty off the board.
func squareBit(x, y int) uint32 {
	if x < 0 || x > 4 || y < 0 || y > 4 {
		return 0
	}
	return 1 << (5*y + x)
}

// temple returns the square where the master of side starts.
func temple(side game.Side) int {
	if side == game.First {
		return firstTemple
	}
	return secondTemple
}

// keys is the state of a splitmix64 generator (Steele, Lea and Flood, OOPSLA
// 2014).
type keys uint64

func (k *keys) next() uint64 {
	*k += 0x9E3779B97F4A7C15
	z := uint64(*k)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
