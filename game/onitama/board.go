package onitama

import (
	"slices"

	"github.com/carozero/carozero/game"
)

// Board is a position of Onitama; it implements [game.Position].
type Board struct {
	t     *tables
	start Deal
	state
	past []state // before each move played, oldest first
}

// state is all that a move changes.
type state struct {
	hash    uint64
	pieces  [2]uint32 // by side, masters included
	last    game.Move
	masters [2]uint8   // by side; NoSquare once captured
	hands   [2][2]Card // by side, each ascending
	side    Card
	toMove  game.Side
	outcome game.Outcome
	end     end
}

// end is a game.Reason in a byte.
type end uint8

const (
	goesOn end = iota
	stone      // a master is taken
	stream     // a master is on the enemy temple
)

// New returns the start of a game with the cards of d, the first player to
// move. The error wraps ErrCards.
func New(d Deal) (*Board, error) {
	const rank = 0b11011
	return NewSetup(Setup{
		Students: [2]uint32{rank, rank << 20},
		Masters:  [2]int{firstTemple, secondTemple},
		Deal:     d,
		ToMove:   game.First,
	})
}

// ToMove returns the side whose turn it is.
func (b *Board) ToMove() game.Side { return b.toMove }

// Ply returns the number of moves played, passes included, since the start or
// the set-up.
func (b *Board) Ply() int { return len(b.past) }

// Hash returns a 64-bit Zobrist hash of the pieces, the cards of both hands,
// the side card and the side to move.
func (b *Board) Hash() uint64 { return b.hash }

// Outcome returns the result, Undecided while the game goes on. There are no draws.
func (b *Board) Outcome() game.Outcome { return b.outcome }

// Reason returns Capture or Stream once the game is over.
func (b *Board) Reason() game.Reason {
	switch b.end {
	case stone:
		return game.Capture
	case stream:
		return game.Stream
	}
	return game.NoReason
}

// MaxMoves returns 40: five pieces times two cards of four vectors.
func (b *Board) MaxMoves() int { return 5 * 2 * maxVectors }

// Pieces returns the squares of side's pieces, its master included.
func (b *Board) Pieces(side game.Side) uint32 { return b.pieces[side] }

// Master returns the square of side's master, NoSquare if it was captured.
func (b *Board) Master(side game.Side) int { return int(b.masters[side]) }

// Hand returns the two cards of side in ascending order.
func (b *Board) Hand(side game.Side) [2]Card { return b.hands[side] }

// SideCard returns the card that the next move is exchanged for.
func (b *Board) SideCard() Card { return b.side }

// Deal returns who holds which card now.
func (b *Board) Deal() Deal {
	return Deal{First: b.hands[game.First], Second: b.hands[game.Second], Side: b.side}
}

// Start returns who held which card at the start or the set-up.
func (b *Board) Start() Deal { return b.start }

// Temple returns the square where side's master starts and the other side's
// master wins.
func (b *Board) Temple(side game.Side) int { return temple(side) }

// Targets returns the squares on the board to which a piece of side steps from
// the square from with card, whatever stands there.
func (b *Board) Targets(side game.Side, card Card, from int) uint32 {
	return b.t.targets[side][card][from]
}

// Captures reports whether the legal move m takes a piece.
func (b *Board) Captures(m game.Move) bool {
	return !IsPass(m) && b.pieces[b.toMove.Other()]>>(m%Squares)&1 != 0
}

// Last returns the last move, NoMove at the start.
func (b *Board) Last() game.Move { return b.last }

// History returns the moves played since the start or the set-up.
func (b *Board) History() []game.Move {
	if len(b.past) == 0 {
		return nil
	}
	moves := make([]game.Move, 0, len(b.past))
	for _, s := range b.past[1:] {
		moves = append(moves, s.last)
	}
	return append(moves, b.last)
}

// Key returns everything that Hash covers, packed without loss: two positions
// have equal keys exactly when they are equal.
func (b *Board) Key() [2]uint64 {
	squares := uint64(b.pieces[0]) | uint64(b.pieces[1])<<25 | uint64(b.masters[0])<<50 | uint64(b.masters[1])<<55
	cards := uint64(b.toMove)
	for _, c := range b.Deal().all() {
		cards = cards<<6 | uint64(c)
	}
	return [2]uint64{squares, cards}
}

// Clone returns an independent copy, its history included.
func (b *Board) Clone() game.Position {
	c := *b
	c.past = slices.Clone(b.past)
	return &c
}
