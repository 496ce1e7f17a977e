// Package onitama turns Onitama positions into the input of a network: version
// 2 of the input planes, the policy's action indices and the cache key. Its
// [Encoder] is an nn.Encoder.
//
// # View
//
// Everything is seen by the side to move: for the second player the board is
// turned by half a turn, so that the own temple is always c1 and forward is
// always up. Square s = 5*y + x stands at row y, column x of every plane [5, 5],
// the mover's first row first.
//
// # Planes and globals
//
// [PlaneNames] and [GlobalNames] list the inputs in order. A card's plane marks the
// squares to which its vectors lead from c3: for the mover's cards and the side card
// in the mover's direction, for the opponent's cards in the opponent's. Of two cards in
// a hand the one whose set of squares, as its holder sees it and square s being bit s, is
// the smaller number comes first. So nothing depends on which cards exist: a network can
// be given cards that it has never met. The globals count men.
//
// # Actions
//
// The policy has 50 planes of 25 squares. Plane 25*k + 5*(dy+2) + (dx+2), at the
// square where the piece stands, is the step by dx columns and dy rows, as the
// mover sees them, with the first (k = 0) or the second card (k = 1) of the hand;
// no card has the vector 0,0, whose place at the own master's square is the pass
// that exchanges the card.
//
// # Symmetry
//
// Symmetry 1 mirrors the columns and mirrors every card's vectors. The result is the
// input of an equivalent position, whether or not a card with those vectors exists.
package onitama

import (
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/nn"
)

var _ nn.Encoder = (*Encoder)(nil)

// The board and its policy.
const (
	side    = 5
	squares = onitama.Squares
	steps   = side * side         // displacements, dx and dy in -2..2
	actions = 2 * steps * squares // two cards
)

// Encoder is the nn.Encoder of version 2. It reads positions that are an
// *onitama.Board; any other is a misuse and panics. It holds no scratch memory:
// one may serve any number of goroutines. Encode and Key allocate nothing.
//
// The package comment defines planes, globals, actions and symmetries.
type Encoder struct{ cards *faces }

// New returns an encoder.
func New() *Encoder { return &Encoder{cards: sharedFaces()} }

// Clone returns the encoder itself.
func (e *Encoder) Clone() nn.Encoder { return e }

// Version returns [Version].
func (e *Encoder) Version() string { return Version }

// Symmetries returns 2, the identity and the mirror.
func (e *Encoder) Symmetries() int { return 2 }

// Shape returns [Planes] planes of 5x5 squares, [Globals] scalars and 1250
// actions.
func (e *Encoder) Shape() nn.Shape {
	return nn.Shape{Planes: Planes, Height: side, Width: side, Globals: Globals, Actions: actions}
}

// Encode writes the planes and globals of pos, mirrored if sym is 1.
func (e *Encoder) Encode(pos game.Position, sym int, planes, globals []float32) {
	b := board(pos)
	v := view{cards: e.cards, board: b, own: b.ToMove(), mirror: sym == 1}
	planes, globals = planes[:Planes*squares], globals[:Globals]
	clear(planes)
	clear(globals)
	for sq := range squares {
		planes[PlaneBoard*squares+sq] = 1
	}
	own, opp := v.own, v.own.Other()
	v.pieces(planes[PlaneOwnStudents*squares:], own)
	v.pieces(planes[PlaneOppStudents*squares:], opp)
	planes[PlaneOwnTemple*squares+v.square(b.Temple(own))] = 1
	planes[PlaneOppTemple*squares+v.square(b.Temple(opp))] = 1

	mine, theirs := v.hand(own), v.hand(opp)
	for i, vectors := range [...]uint32{mine[0], mine[1], turned(theirs[0]), turned(theirs[1]), v.vectors(b.SideCard())} {
		fill(planes[(PlaneOwnFirst+i)*squares:], vectors)
	}
	globals[GlobalOwnMen] = men(b, own)
	globals[GlobalOppMen] = men(b, opp)
}

// turned returns a set of squares turned by half a turn.
func turned(set uint32) uint32 { return bits.Reverse32(set) >> (32 - squares) }

// men returns the number of a side's men in fifths.
func men(b *onitama.Board, s game.Side) float32 {
	return float32(bits.OnesCount32(b.Pieces(s))) / 5
}

// Action returns the policy index of m.
func (e *Encoder) Action(pos game.Position, m game.Move, sym int) int {
	b := board(pos)
	v := view{cards: e.cards, board: b, own: b.ToMove(), mirror: sym == 1}
	slot := 0
	if v.vectors(onitama.MoveCard(m)) != v.hand(v.own)[0] {
		slot = 1
	}
	from := b.Master(v.own)
	to := from
	if !onitama.IsPass(m) {
		from, to = onitama.MoveSquares(m)
	}
	from, to = v.square(from), v.square(to)
	dx, dy := to%side-from%side, to/side-from/side
	return (slot*steps+(dy+2)*side+dx+2)*squares + from
}

// Key packs pieces, cards and the side to move without loss, mixed so that every
// bit of it depends on all of them.
func (e *Encoder) Key(pos game.Position) nn.Key {
	k := board(pos).Key()
	first := mix(k[0] ^ versionSalt)
	second := mix(k[1] ^ first)
	return nn.Key{mix(first ^ second), second}
}

// versionSalt makes the keys differ from those of other encoders.
const versionSalt = 0x6f6e6974616d6132

// mix is the output function of SplitMix64 (Steele, Lea and Flood 2014), a
// permutation of the 64-bit numbers.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// board returns the board of pos.
func board(pos game.Position) *onitama.Board {
	b, ok := pos.(*onitama.Board)
	if !ok {
		panic(fmt.Sprintf("nn/onitama: %T is no Onitama position", pos))
	}
	return b
}

// fill sets the squares of set to 1.
func fill(plane []float32, set uint32) {
	for ; set != 0; set &= set - 1 {
		plane[bits.TrailingZeros32(set)] = 1
	}
}

// Version names this version of the input planes, as in a model's metadata.
const Version = "onitama-2"

// The input planes of version 2, in order.
const (
	PlaneBoard       = iota // 1 on every square
	PlaneOwnStudents        // of the side to move
	PlaneOwnMaster
	PlaneOppStudents // of its opponent
	PlaneOppMaster
	PlaneOwnTemple // where the own master starts
	PlaneOppTemple // where the own master wins
	PlaneOwnFirst  // vectors of the cards, from c3
	PlaneOwnSecond
	PlaneOppFirst
	PlaneOppSecond
	PlaneSide

	Planes // their number
)

// The scalar inputs of version 2, in order. None speaks of a card by its number: the
// planes show what each card does, so cards that were not known yet need no new version.
const (
	GlobalOwnMen = iota // of the side to move, its master included, / 5
	GlobalOppMen        // of its opponent

	Globals // their number
)

var globalNames = [Globals]string{"own_men", "opp_men"}

var planeNames = [Planes]string{
	"board", "own_students", "own_master", "opp_students", "opp_master", "own_temple", "opp_temple",
	"own_card_1", "own_card_2", "opp_card_1", "opp_card_2", "side_card",
}

// PlaneNames returns the names of the input planes in order, in a slice of the
// caller's own.
func PlaneNames() []string { return slices.Clone(planeNames[:]) }

// GlobalNames returns the names of the scalar inputs in order, in a slice of the
// caller's own.
func GlobalNames() []string { return slices.Clone(globalNames[:]) }

// view is a position as its side to move sees it, mirrored or not.
type view struct {
	cards  *faces
	board  *onitama.Board
	own    game.Side
	mirror bool
}

// square returns where a square of the board stands in the view.
func (v *view) square(sq int) int {
	if v.own == game.Second {
		sq = squares - 1 - sq
	}
	if v.mirror {
		sq += side - 1 - 2*(sq%side)
	}
	return sq
}

// vectors returns the squares that a card leads to from c3, as its holder sees it.
func (v *view) vectors(c onitama.Card) uint32 {
	if v.mirror {
		return v.cards.mirrored[c]
	}
	return v.cards.ahead[c]
}

// hand returns the vectors of the cards of a side, the smaller set first: an order that
// depends on nothing but what the cards do.
func (v *view) hand(s game.Side) [2]uint32 {
	hand := v.board.Hand(s)
	a, b := v.vectors(hand[0]), v.vectors(hand[1])
	return [2]uint32{min(a, b), max(a, b)}
}

// pieces writes the planes [2, 5, 5] of a side's students and master; the plane of a
// captured master is empty.
func (v *view) pieces(planes []float32, s game.Side) {
	master := v.board.Master(s)
	for sq := range squares {
		if v.board.Pieces(s)>>sq&1 == 0 {
			continue
		}
		plane := 0
		if sq == master {
			plane = squares
		}
		planes[plane+v.square(sq)] = 1
	}
}

// faces holds the data of the cards that the planes need: the squares, as a set, that a
// card's vectors lead to from c3, and those in the mirror.
type faces struct{ ahead, mirrored [onitama.Cards]uint32 }

// sharedFaces builds the faces when they are first needed.
var sharedFaces = sync.OnceValue(newFaces)

func newFaces() *faces {
	f := new(faces)
	for c := range onitama.Card(onitama.Cards) {
		for _, v := range c.Vectors() {
			f.ahead[c] |= 1 << (side*(2+int(v.DY)) + 2 + int(v.DX))
			f.mirrored[c] |= 1 << (side*(2+int(v.DY)) + 2 - int(v.DX))
		}
	}
	return f
}
