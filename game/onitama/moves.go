package onitama

import (
	"fmt"
	"math/bits"
	"strings"
	"sync"

	"github.com/carozero/carozero/game"
)

// Squares is the number of squares of the board.
const Squares = 25

// NoSquare stands for the square of a master that has been captured.
const NoSquare = Squares

// MoveCount is one more than the largest move: moves of pieces come first,
// then the passes.
const MoveCount = firstPass + Cards

// firstPass is the pass that exchanges card 0.
const firstPass = Cards * Squares * Squares

// NewMove returns the move of the piece on from to the square to with card.
func NewMove(card Card, from, to int) game.Move {
	return game.Move((int(card)*Squares+from)*Squares + to)
}

// NewPass returns the pass that exchanges card.
func NewPass(card Card) game.Move { return firstPass + game.Move(card) }

// IsPass reports whether m, a move less than MoveCount, is a pass.
func IsPass(m game.Move) bool { return m >= firstPass }

// MoveCard returns the card that the move m, less than MoveCount, exchanges.
func MoveCard(m game.Move) Card {
	if IsPass(m) {
		return Card(m - firstPass)
	}
	return Card(m / (Squares * Squares))
}

// MoveSquares returns where m, which is no pass, takes a piece from and to.
func MoveSquares(m game.Move) (from, to int) {
	return int(m) / Squares % Squares, int(m) % Squares
}

// Moves appends the legal moves, the two passes if no piece can move.
func (b *Board) Moves(buf []game.Move) []game.Move {
	if b.outcome != game.Undecided {
		return buf
	}
	n := len(buf)
	own := b.pieces[b.toMove]
	hand := b.hands[b.toMove]
	for _, card := range hand {
		targets := &b.t.targets[b.toMove][card]
		for rest := own; rest != 0; rest &= rest - 1 {
			from := bits.TrailingZeros32(rest)
			buf = appendSteps(buf, card, from, targets[from]&^own)
		}
	}
	if len(buf) == n {
		buf = append(buf, NewPass(hand[0]), NewPass(hand[1]))
	}
	return buf
}

// Wins appends the moves that take the enemy master or bring the own one to
// the enemy temple.
func (b *Board) Wins(buf []game.Move) []game.Move {
	if b.outcome != game.Undecided {
		return buf
	}
	side, opp := b.toMove, b.toMove.Other()
	own, king := b.pieces[side], int(b.masters[side])
	prey := int(b.masters[opp])
	goal := uint32(1) << temple(opp) &^ own
	for _, card := range b.hands[side] {
		// The squares from which side's card steps to prey are those to which
		// the opponent's would step from there.
		hunters := b.t.targets[opp][card][prey] & own
		reach := b.t.targets[side][card][king] & goal
		from := hunters
		if reach != 0 {
			from |= 1 << king
		}
		for ; from != 0; from &= from - 1 {
			sq := bits.TrailingZeros32(from)
			to := hunters >> sq & 1 << prey
			if sq == king {
				to |= reach
			}
			buf = appendSteps(buf, card, sq, to)
		}
	}
	return buf
}

// appendSteps appends the moves with card from the square from to those of to.
func appendSteps(buf []game.Move, card Card, from int, to uint32) []game.Move {
	base := NewMove(card, from, 0)
	for ; to != 0; to &= to - 1 {
		buf = append(buf, base+game.Move(bits.TrailingZeros32(to)))
	}
	return buf
}

// Legal reports whether m is a legal move.
func (b *Board) Legal(m game.Move) bool {
	if m >= MoveCount || b.outcome != game.Undecided {
		return false
	}
	card, hand := MoveCard(m), b.hands[b.toMove]
	if card != hand[0] && card != hand[1] {
		return false
	}
	if IsPass(m) {
		return !b.canStep()
	}
	from, to := MoveSquares(m)
	own := b.pieces[b.toMove]
	return own>>from&1 != 0 && b.t.targets[b.toMove][card][from]&^own>>to&1 != 0
}

// canStep reports whether the side to move can move a piece.
func (b *Board) canStep() bool {
	own := b.pieces[b.toMove]
	for _, card := range b.hands[b.toMove] {
		targets := &b.t.targets[b.toMove][card]
		for rest := own; rest != 0; rest &= rest - 1 {
			if targets[bits.TrailingZeros32(rest)]&^own != 0 {
				return true
			}
		}
	}
	return false
}

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

// A game that begins with other men than the usual ones is told by its cards, its layout
// and who moves first, as in
//
//	Crane,Monkey/Crab,Tiger/Dragon 2O2/5/1o3/5/2X2 second
//
// The layout has the rows from the top, each of a diagram's letters and of numbers of
// empty squares.

// usualLayout is the layout that games begin with, the first player to move.
const usualLayout = "ooOoo/5/5/5/xxXxx"

// FormatGame returns the text of a game that began where b did, with the cards alone if
// the men stood as usual, and after a colon the moves. [ParseGame] reads it.
func FormatGame(b *Board, moves []game.Move) string {
	start := *b
	if len(b.past) > 0 {
		start.state = b.past[0]
	}
	text := b.start.String()
	if layout := start.layout(); layout != usualLayout || start.toMove != game.First {
		text += " " + layout + " " + start.toMove.String()
	}
	if len(moves) > 0 {
		text += ":" + Notation{}.FormatMoves(moves)
	}
	return text
}

// layout returns the men on the board.
func (b *Board) layout() string {
	var w strings.Builder
	for y := 4; y >= 0; y-- {
		empty := 0
		for x := range 6 {
			mark := byte('/')
			if x < 5 {
				mark = b.mark(5*y + x)
			}
			if mark == emptyMark {
				empty++
				continue
			}
			if empty > 0 {
				w.WriteByte('0' + byte(empty))
				empty = 0
			}
			w.WriteByte(mark)
		}
	}
	return strings.TrimSuffix(w.String(), "/")
}

// parseStart reads what FormatGame writes before a colon. The error wraps ErrCards,
// ErrNotation or ErrSetup.
func parseStart(text string) (*Board, error) {
	words := strings.Fields(text)
	at := len(words) // of the layout
	for i, word := range words {
		if strings.Count(word, "/") == 4 {
			at = i
			break
		}
	}
	deal, err := ParseDeal(strings.Join(words[:at], " "))
	if err != nil {
		return nil, err
	}
	if at == len(words) {
		return New(deal)
	}
	d := diagram{setup: Setup{Deal: deal}}
	for _, row := range strings.Split(words[at], "/") {
		if err := d.row(unfold.Replace(row)); err != nil {
			return nil, fmt.Errorf("layout %q: %w", words[at], err)
		}
	}
	switch rest := strings.ToLower(strings.Join(words[at+1:], " ")); rest {
	case game.First.String():
	case game.Second.String():
		d.setup.ToMove = game.Second
	case "":
		return nil, fmt.Errorf("%w: %q does not say who is to move; want first or second after it", ErrNotation, words[at])
	default:
		return nil, fmt.Errorf("%w: %q after the layout; want first or second, who is to move", ErrNotation, rest)
	}
	return d.board()
}

// unfold writes numbers of empty squares as squares.
var unfold = strings.NewReplacer("1", ".", "2", "..", "3", "...", "4", "....", "5", ".....")
