package gomoku

import (
	"fmt"
	"math/bits"

	"github.com/carozero/carozero/game"
)

// Setup is a position given by its stones.
type Setup struct {
	Stones   []Stone // by cell, size*size of them
	ToMove   game.Side
	Captured [2]int // stones taken, by the side that took them
}

// NewSetup returns the board of a setup; any numbers of stones are accepted. A
// setup with a winning line, ten captured stones or no legal move is over. The error
// wraps ErrRule, ErrSize or, for an impossible position, ErrIllegal.
func NewSetup(r Rules, size int, s Setup) (*Board, error) {
	b, err := New(r, size)
	if err != nil {
		return nil, err
	}
	if len(s.Stones) != b.geo.cells {
		return nil, fmt.Errorf("%w: a setup of %d cells; a board of %dx%d has %d",
			ErrSize, len(s.Stones), size, size, b.geo.cells)
	}
	if s.ToMove > game.Second {
		return nil, fmt.Errorf("%w setup: side %d to move; there are first and second", ErrIllegal, s.ToMove)
	}
	if err := b.setCaptured(s.Captured); err != nil {
		return nil, err
	}
	for cell, stone := range s.Stones {
		switch stone {
		case Empty:
		case FirstStone, SecondStone:
			b.put(stone.Side(), cell)
		default:
			return nil, fmt.Errorf("%w setup: cell %d holds %d; a cell is empty (0) or holds a stone of first (1) or second (2)",
				ErrIllegal, cell, stone)
		}
	}
	b.setup = b.stones
	b.toMove = s.ToMove
	b.key = keys.of(b)
	b.closed.known = false
	b.end(game.Undecided, game.NoReason)
	if err := b.settleSetup(); err != nil {
		return nil, err
	}
	return b, nil
}

func (b *Board) setCaptured(captured [2]int) error {
	for side, n := range captured {
		switch {
		case n != 0 && !b.rules.Captures:
			return fmt.Errorf("%w setup: %v has captured %d; nothing is captured under %s",
				ErrIllegal, game.Side(side), n, b.rules.Name)
		case n < 0 || n > maxCaptured || n%2 != 0:
			return fmt.Errorf("%w setup: %v has captured %d; pairs are captured, at most %d stones",
				ErrIllegal, game.Side(side), n, maxCaptured)
		}
	}
	b.captured = captured
	return nil
}

// settleSetup computes the outcome of a setup as if the side not to move had
// just moved.
func (b *Board) settleSetup() error {
	mover, next := b.toMove.Other(), b.toMove
	full := [2]bool{b.captured[0] >= WinningCaptures, b.captured[1] >= WinningCaptures}
	line := [2]bool{b.standing(game.First), b.standing(game.Second)}
	switch {
	case full[0] && full[1]:
		return fmt.Errorf("%w setup: both sides have captured %d stones; one at most can have",
			ErrIllegal, WinningCaptures)
	case full[mover]:
		b.end(game.WinFor(mover), game.Capture)
	case full[next]:
		b.end(game.WinFor(next), game.Capture)
	case line[0] && line[1]:
		return fmt.Errorf("%w setup: both sides have a winning line; one at most can have", ErrIllegal)
	case line[next]:
		b.end(game.WinFor(next), game.Line)
	case line[mover] && b.rules.Captures && b.breakable(mover):
		b.pending = true
		b.settleMoves()
	case line[mover]:
		b.end(game.WinFor(mover), game.Line)
	default:
		b.settleMoves()
	}
	return nil
}

// standing reports whether side has a winning run anywhere.
func (b *Board) standing(side game.Side) bool {
	for _, s := range b.geo.span {
		for line := s.lo; line < s.hi; line++ {
			own := b.lines[side][line]
			twos := own & (own >> 1)
			starts := twos & (twos >> 2) & (own >> 4)
			for starts != 0 {
				bit := uint(bits.TrailingZeros32(starts))
				lo, hi := below(own, bit), above(own, bit)
				if runWins(lo, hi, b.blockIn(side, line), b.rules.Exact[side]) {
					return true
				}
				starts &^= 1<<hi - 1
			}
		}
	}
	return false
}
