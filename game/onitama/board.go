// Package onitama holds the rules of Onitama: cards and deals, a board that is
// a [game.Position], text notation and diagrams.
//
// # Board
//
// The board has 5x5 squares, numbered 5*y + x with x = 0..4 for the columns
// a..e and y = 0..4 for the rows 1..5; a set of squares is the low 25 bits of a
// uint32. Both sides use these absolute coordinates. The first player's master
// starts on c1 between four students, the second player's on c5; these two
// squares are the temples.
//
// A move uses one of the mover's two cards to move one own piece by one of the
// card's vectors, which are turned by half a turn for the second player. It may
// jump, it may capture, and it may not land on an own piece. The card then
// becomes the side card and the side card goes to the mover's hand. Who takes
// the enemy master wins (reason [game.Capture]), and so does who puts the own
// master on the enemy temple (reason [game.Stream]); a move that does both
// counts as a capture. A side that cannot move a piece passes, and chooses
// which card to exchange; nobody passes otherwise. There are no draws and no
// rule against repetition: a game has no bound, and matches set a limit.
//
// # Moves
//
// A [game.Move] of a piece is 625*card + 25*from + to, with the cards numbered
// from 0; the pass that exchanges card is 625*[Cards] + card. All are less than
// [MoveCount].
//
// # Cards
//
// Beside the base game there are the cards of the expansion Sensei's Path; a [Deck] says
// what is dealt from. The cards of Way of the Wind are left out, since they move a
// spirit of their own; so are Goat and Sheep, of which only the vectors are known here
// and not the stamps, and other promotional cards.
//
// # Who starts
//
// At the table the two players are Blue and Red, and the stamp of the first
// side card says whose turn it is. Here the first player, [game.First], is
// whoever moves first, so a deal written `first/second/side` has the first
// hand move first whatever the stamp; its colour at the table is
// [Deal.FirstColour]. [RandomDeal] deals to the colours and lets the stamp decide who
// is first. The colours do not matter otherwise: the board is symmetric.
package onitama

import (
	"errors"
	"fmt"
	"math/bits"
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

// Errors that parsing and setting up return, wrapped with the place and what
// would be right.
var (
	ErrCards    = errors.New("onitama: bad cards")
	ErrNotation = errors.New("onitama: bad notation")
	ErrSetup    = errors.New("onitama: bad set-up")
	ErrIllegal  = errors.New("onitama: illegal move")
	ErrOver     = errors.New("onitama: the game is over")
)

// Play makes the legal move m.
func (b *Board) Play(m game.Move) {
	b.past = append(b.past, b.state)
	if !IsPass(m) {
		from, to := MoveSquares(m)
		b.step(from, to)
	}
	b.exchange(MoveCard(m))
	b.last = m
	b.toMove ^= 1
	b.hash ^= b.t.turn
}

// Undo takes the last move back.
func (b *Board) Undo() {
	n := len(b.past) - 1
	b.state = b.past[n]
	b.past = b.past[:n]
}

// step moves the own piece on from to the square to, takes what stands there
// and ends the game if that wins.
func (b *Board) step(from, to int) {
	own, opp := b.toMove, b.toMove.Other()
	if b.pieces[opp]>>to&1 != 0 {
		kind := student
		if int(b.masters[opp]) == to {
			kind = master
			b.masters[opp] = NoSquare
			b.end = stone
			b.outcome = game.WinFor(own)
		}
		b.pieces[opp] &^= 1 << to
		b.hash ^= b.t.piece[opp][kind][to]
	}
	kind := student
	if int(b.masters[own]) == from {
		kind = master
		b.masters[own] = uint8(to)
		if to == temple(opp) && b.end == goesOn {
			b.end = stream
			b.outcome = game.WinFor(own)
		}
	}
	b.pieces[own] ^= 1<<from | 1<<to
	b.hash ^= b.t.piece[own][kind][from] ^ b.t.piece[own][kind][to]
}

// exchange swaps card, held by the side to move, for the side card.
func (b *Board) exchange(card Card) {
	own, side := b.toMove, b.side
	hand := &b.hands[own]
	kept := hand[0]
	if kept == card {
		kept = hand[1]
	}
	hand[0], hand[1] = min(kept, side), max(kept, side)
	b.side = card
	held := &b.t.held
	b.hash ^= held[own][card] ^ held[aside][card] ^ held[own][side] ^ held[aside][side]
}

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
