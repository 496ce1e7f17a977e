package onitama

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"slices"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/onitama"
)

// evaluation implements alphabeta.Evaluation for a board. Its sums equal those of
// Weights.Score: for the five cards of the game it knows what every piece is worth on every
// cell with every hand.
type evaluation struct {
	board *rules.Board
	slots [rules.Cards]uint8 // of the cards of the game, 0..4 in ascending order, as hands are
	tempo tapered

	margin, marginPly int16 // of the weights

	terms   [2][Terms]tapered             // of the side to move, of its opponent
	mover   [inPlay][inPlay][inPlay]cells // by the slots of the hand and of the side card
	waiting [inPlay][inPlay]cells         // by the slots of the hand
}

// inPlay is the number of cards of a game.
const inPlay = 5

// cells holds what a piece of each kind, student and master, is worth on each cell.
type cells [2][rules.Squares]tapered

// tapered is an early and a late sum of weights.
type tapered struct{ early, late int32 }

func (t *tapered) add(o tapered) { t.early, t.late = t.early+o.early, t.late+o.late }

// times returns a weight that counts n times.
func (t tapered) times(n int) tapered { return tapered{t.early * int32(n), t.late * int32(n)} }

// newEvaluation returns the evaluation of b, and of all positions with its five cards, by
// the weights.
func newEvaluation(b *rules.Board, w *Weights) *evaluation {
	e := &evaluation{board: b, margin: w.Margin, marginPly: w.MarginPly}
	at := func(feature int) tapered { return tapered{int32(w.Early[feature]), int32(w.Late[feature])} }
	d := b.Deal()
	cards := [inPlay]rules.Card{d.First[0], d.First[1], d.Second[0], d.Second[1], d.Side}
	slices.Sort(cards[:])
	for slot, card := range cards {
		e.slots[card] = uint8(slot)
	}
	e.tempo = at(Tempo)
	for t := range Terms {
		e.terms[0][t], e.terms[1][t] = at(OwnTerms+t), at(OppTerms+t)
	}
	for i, one := range cards {
		for j, two := range cards[:i] {
			for kind, first := range [2][3]int{{Students, HandStudents, SideStudents}, {Masters, HandMasters, SideMasters}} {
				for cell := range rules.Squares {
					sum := at(first[0] + cell)
					sum.add(at(first[1] + rules.Squares*int(one) + cell))
					sum.add(at(first[1] + rules.Squares*int(two) + cell))
					e.waiting[j][i][kind][cell] = sum
					for k, side := range cards {
						coming := sum
						coming.add(at(first[2] + rules.Squares*int(side) + cell))
						e.mover[j][i][k][kind][cell] = coming
					}
				}
			}
		}
	}
	return e
}

// Evaluate returns the worth of the board to its side to move.
func (e *evaluation) Evaluate() alphabeta.Score {
	b := e.board
	mover := b.ToMove()
	hand := b.Hand(mover)
	sum := e.tempo
	own := e.view(mover, &e.mover[e.slots[hand[0]]][e.slots[hand[1]]][e.slots[b.SideCard()]])
	hand = b.Hand(mover.Other())
	opp := e.view(mover.Other(), &e.waiting[e.slots[hand[0]]][e.slots[hand[1]]])
	sum.add(own.pieces)
	sum.add(opp.pieces.times(-1))
	own.addTerms(&sum, &opp, &e.terms[0])
	opp.addTerms(&sum, &own, &e.terms[1])
	return alphabeta.Score(taper(int(sum.early), int(sum.late), Phase(b)))
}

// view is what an evaluation gathers of one side.
type view struct {
	pieces   tapered // worth of the pieces on their cells
	students uint32
	reached  uint32 // squares to which the hand leads the pieces, own ones among them
	mobility int
	masterTo [2]uint32 // free squares, or with an opponent, to which each card leads the master
}

// view returns that of side, whose pieces are worth what the cells say.
func (e *evaluation) view(side game.Side, worth *cells) (v view) {
	b := e.board
	own, king := b.Pieces(side), b.Master(side)
	hand := b.Hand(side)
	v.students = own &^ (1 << king)
	for rest := own; rest != 0; rest &= rest - 1 {
		sq := bits.TrailingZeros32(rest)
		one, two := b.Targets(side, hand[0], sq), b.Targets(side, hand[1], sq)
		v.reached |= one | two
		v.mobility += bits.OnesCount32(one&^own) + bits.OnesCount32(two&^own)
		kind := 0
		if sq == king {
			kind, v.masterTo = 1, [2]uint32{one &^ own, two &^ own}
		}
		v.pieces.add(worth[kind][cellOf(side, sq)])
	}
	return v
}

// addTerms adds the terms of v, against the other side, by their weights.
func (v *view) addTerms(sum *tapered, other *view, weights *[Terms]tapered) {
	prey := v.reached & other.students
	sum.add(weights[Mobility].times(v.mobility))
	sum.add(weights[Attacked].times(bits.OnesCount32(prey)))
	sum.add(weights[Hanging].times(bits.OnesCount32(prey &^ other.reached)))
	sum.add(weights[Guarded].times(bits.OnesCount32(v.reached & v.students)))
	sum.add(weights[Escapes].times(
		bits.OnesCount32(v.masterTo[0]&^other.reached) + bits.OnesCount32(v.masterTo[1]&^other.reached),
	))
}

// Margin returns that of the weights.
func (e *evaluation) Margin(depth int) alphabeta.Score {
	return alphabeta.Score(int(e.margin) + depth*int(e.marginPly))
}

// Quiet returns true: what may fall next is within the margin, and wins at once
// are never left to it.
func (*evaluation) Quiet() bool { return true }

// The features of a position, in the order of their numbers. A cell is a square as its
// owner sees the board, 0..24 from its own left corner; what counts both sides is that of
// the side to move less that of its opponent.
const (
	// Tempo is 1: having the move.
	Tempo = 0

	// Students+cell and Masters+cell count the pieces of both sides on a cell.
	Students = Tempo + 1
	Masters  = Students + rules.Squares

	// HandStudents+Squares*card+cell and HandMasters+Squares*card+cell count the pieces
	// of both sides on a cell whose side has the card in its hand.
	HandStudents = Masters + rules.Squares
	HandMasters  = HandStudents + cardCells

	// SideStudents+Squares*card+cell and SideMasters+Squares*card+cell count the pieces
	// of the side to move, which gets the side card with its move.
	SideStudents = HandMasters + cardCells
	SideMasters  = SideStudents + cardCells

	// OwnTerms+t is the term t of the side to move, OppTerms+t that of its opponent.
	OwnTerms = SideMasters + cardCells
	OppTerms = OwnTerms + Terms

	NumFeatures = OppTerms + Terms
)

const cardCells = rules.Squares * rules.Cards

// The terms of a side: counts of what its pieces reach with the cards of its hand.
const (
	Mobility = iota // moves
	Attacked        // students of the other side that can be taken
	Hanging         // of these, the ones that no piece of their side could take back
	Guarded         // own students on squares that an own piece reaches
	Escapes         // moves of the master to squares that the other side does not reach
	Terms
)

// FullPhase is the phase at which the late weights count alone: only the masters are left.
const FullPhase = 8

// Phase returns by how many the men on the board are fewer than ten.
func Phase(b *rules.Board) int {
	return 2 + FullPhase - bits.OnesCount32(b.Pieces(game.First)|b.Pieces(game.Second))
}

// Weights are those of the evaluation, in units of score by feature. With p the Phase and
// n[f] the count of feature f, the score for the side to move is
//
//	sum over f of n[f] * ((FullPhase-p)*Early[f] + p*Late[f]) / FullPhase
//
// rounded towards zero once, at the end.
type Weights struct {
	Early, Late [NumFeatures]int16

	// Margin and MarginPly say by how much quiet play changes the score: by
	// Margin + plies*MarginPly at most, with few exceptions.
	Margin, MarginPly int16
}

// Score returns what an evaluation of b returns, computed from its Features.
func (w *Weights) Score(b *rules.Board) int {
	early, late := 0, 0
	Features(b, func(feature, count int) {
		early += count * int(w.Early[feature])
		late += count * int(w.Late[feature])
	})
	return taper(early, late, Phase(b))
}

// taper returns the score of two sums of weights.
func taper(early, late, phase int) int { return (early*(FullPhase-phase) + late*phase) / FullPhase }

// Features calls visit for the features of a position that is not over, some of them
// several times.
func Features(b *rules.Board, visit func(feature, count int)) {
	visit(Tempo, 1)
	mover := b.ToMove()
	for _, side := range []game.Side{mover, mover.Other()} {
		sign := 1
		if side != mover {
			sign = -1
		}
		king, hand := b.Master(side), b.Hand(side)
		for rest := b.Pieces(side); rest != 0; rest &= rest - 1 {
			sq := bits.TrailingZeros32(rest)
			placed, held, coming := Students, HandStudents, SideStudents
			if sq == king {
				placed, held, coming = Masters, HandMasters, SideMasters
			}
			cell := cellOf(side, sq)
			visit(placed+cell, sign)
			for _, card := range hand {
				visit(held+rules.Squares*int(card)+cell, sign)
			}
			if side == mover {
				visit(coming+rules.Squares*int(b.SideCard())+cell, 1)
			}
		}
	}
	own, opp := termsOf(b)
	for t := range Terms {
		visit(OwnTerms+t, own[t])
		visit(OppTerms+t, opp[t])
	}
}

// cellOf returns the cell of a square for a piece of side.
func cellOf(side game.Side, sq int) int {
	if side == game.Second {
		return rules.Squares - 1 - sq
	}
	return sq
}

// termsOf counts the terms of the side to move and of its opponent by their definitions.
func termsOf(b *rules.Board) (own, opp [Terms]int) {
	mover := b.ToMove()
	for i, side := range []game.Side{mover, mover.Other()} {
		t := &own
		if i == 1 {
			t = &opp
		}
		other := side.Other()
		reached, threatened := reach(b, side), reach(b, other)
		students := func(s game.Side) uint32 { return b.Pieces(s) &^ (1 << b.Master(s)) }
		for _, card := range b.Hand(side) {
			for rest := b.Pieces(side); rest != 0; rest &= rest - 1 {
				t[Mobility] += bits.OnesCount32(b.Targets(side, card, bits.TrailingZeros32(rest)) &^ b.Pieces(side))
			}
			t[Escapes] += bits.OnesCount32(b.Targets(side, card, b.Master(side)) &^ b.Pieces(side) &^ threatened)
		}
		t[Attacked] = bits.OnesCount32(reached & students(other))
		t[Hanging] = bits.OnesCount32(reached & students(other) &^ threatened)
		t[Guarded] = bits.OnesCount32(reached & students(side))
	}
	return own, opp
}

// reach returns the squares to which side's hand leads its pieces, own ones among them.
func reach(b *rules.Board, side game.Side) (squares uint32) {
	for _, card := range b.Hand(side) {
		for rest := b.Pieces(side); rest != 0; rest &= rest - 1 {
			squares |= b.Targets(side, card, bits.TrailingZeros32(rest))
		}
	}
	return squares
}

// FittedWeights returns the weights that were fitted to games; see package fit. They must not
// be changed.
func FittedWeights() *Weights { return &fittedWeights }

// HandWeights returns weights set by hand, in hundredths of a student: how central the
// students stand, how near the master is to the temple it wants, the moves, and a little
// for having the move.
func HandWeights() *Weights {
	const (
		student  = 100
		mobility = 4
		centre   = 3  // a student's step nearer to the centre
		near     = 8  // a master's step nearer to the temple
		tempo    = 12 // having the move
	)
	w := new(Weights)
	w.Early[Tempo] = tempo
	for cell := range rules.Squares {
		x, y := cell%5, cell/5
		w.Early[Students+cell] = int16(student + centre*(4-steps(x, y, 2, 2)))
		w.Early[Masters+cell] = int16(near * (4 - steps(x, y, 2, 4)))
	}
	w.Early[OwnTerms+Mobility], w.Early[OppTerms+Mobility] = mobility, -mobility
	w.Late = w.Early
	// Quiet moves shift mobility and places only, but a student may fall at the end of them.
	w.Margin, w.MarginPly = 50, 35
	return w
}

// steps returns the steps of a king's walk.
func steps(x, y, toX, toY int) int { return max(x-toX, toX-x, y-toY, toY-y) }

// Digest returns the SHA-256, in hexadecimal digits, of the weights.
func (w *Weights) Digest() string {
	sum := sha256.New()
	// A hash takes all bytes, and all of these have a fixed size.
	_ = binary.Write(sum, binary.LittleEndian, w)
	return hex.EncodeToString(sum.Sum(nil))
}
