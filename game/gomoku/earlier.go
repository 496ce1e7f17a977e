package gomoku

import (
	"math/bits"

	"github.com/carozero/carozero/game"
)

// Layout is the stones of a position: bit x of Layout[side][y] stands for the stone of
// that side on the cell y*size + x.
type Layout [2][MaxSize]uint32

// Layout returns the stones on the board.
func (b *Board) Layout() (l Layout) {
	for side := range l {
		for y := range b.geo.size {
			l[side][y] = b.Row(game.Side(side), y)
		}
	}
	return l
}

// Retract turns l, the stones n-1 moves ago, into those n moves ago, with captured stones
// put back; n is 1 or more. It returns false, with l as it was, if fewer moves were played
// since the start or the setup.
func (b *Board) Retract(n int, l *Layout) bool {
	i := len(b.history) - n
	if i < 0 {
		return false
	}
	rec, mover := &b.history[i], b.toMove
	if n&1 != 0 {
		mover = mover.Other()
	}
	toggle := func(side game.Side, cell int) { l[side][cell/b.geo.size] ^= 1 << (cell % b.geo.size) }
	toggle(mover, int(rec.move))
	for pairs := rec.taken; pairs != 0; pairs &= pairs - 1 {
		near, far := b.pairCells(int(rec.move), bits.TrailingZeros8(pairs))
		toggle(mover.Other(), near)
		toggle(mover.Other(), far)
	}
	return true
}

// KeyBefore returns the Key of the position n moves ago, n being 1 or more. It returns
// false if there was no stone on the board, or if fewer moves were played since the start
// or the setup.
func (b *Board) KeyBefore(n int) (k [2]uint64, ok bool) {
	i := len(b.history) - n
	if i < 0 || i+b.setup == 0 {
		return k, false
	}
	return b.history[i].key, true
}
