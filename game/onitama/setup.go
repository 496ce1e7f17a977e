package onitama

import (
	"fmt"
	"math/bits"

	"github.com/carozero/carozero/game"
)

// Setup describes any position in which the game goes on.
type Setup struct {
	Students [2]uint32 // by side, bit = square; at most four each
	Masters  [2]int    // by side, the square
	Deal     Deal
	ToMove   game.Side
}

// NewSetup returns the position that s describes, at ply 0. The error wraps
// ErrSetup or, about the cards, ErrCards.
func NewSetup(s Setup) (*Board, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	b := &Board{t: sharedTables(), start: s.Deal}
	b.last = game.NoMove
	b.toMove = s.ToMove
	b.side = s.Deal.Side
	b.hash = b.t.held[aside][b.side]
	for _, side := range [2]game.Side{game.First, game.Second} {
		b.masters[side] = uint8(s.Masters[side])
		b.pieces[side] = s.Students[side] | 1<<s.Masters[side]
		hand := s.Deal.Hand(side)
		b.hands[side] = [2]Card{min(hand[0], hand[1]), max(hand[0], hand[1])}
		b.hash ^= b.t.piece[side][master][s.Masters[side]]
		for rest := s.Students[side]; rest != 0; rest &= rest - 1 {
			b.hash ^= b.t.piece[side][student][bits.TrailingZeros32(rest)]
		}
		for _, card := range hand {
			b.hash ^= b.t.held[side][card]
		}
	}
	if b.toMove == game.Second {
		b.hash ^= b.t.turn
	}
	return b, nil
}

// check returns an error unless s is a position of a game that goes on.
func (s *Setup) check() error {
	if s.ToMove > game.Second {
		return fmt.Errorf("%w: no side %d to move", ErrSetup, s.ToMove)
	}
	var taken uint32
	for _, side := range [2]game.Side{game.First, game.Second} {
		students, king := s.Students[side], s.Masters[side]
		switch {
		case king < 0 || king >= Squares:
			return fmt.Errorf("%w: the %v player's master is on square %d; want 0..%d", ErrSetup, side, king, Squares-1)
		case king == temple(side.Other()):
			return fmt.Errorf("%w: the %v player's master is on %s, which has won already", ErrSetup, side, squareName(king))
		case students>>Squares != 0:
			return fmt.Errorf("%w: the %v player has students off the board", ErrSetup, side)
		case bits.OnesCount32(students) > 4:
			return fmt.Errorf("%w: the %v player has %d students; want at most 4", ErrSetup, side, bits.OnesCount32(students))
		}
		own := students | 1<<king
		if twice := taken&own | students&(1<<king); twice != 0 {
			return fmt.Errorf("%w: two pieces on %s", ErrSetup, squareName(bits.TrailingZeros32(twice)))
		}
		taken |= own
	}
	return s.Deal.check()
}
