package onitama

import (
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
	sum.add(weights[Escapes].times(bits.OnesCount32(v.masterTo[0]&^other.reached) + bits.OnesCount32(v.masterTo[1]&^other.reached)))
}

// Margin returns that of the weights.
func (e *evaluation) Margin(depth int) alphabeta.Score {
	return alphabeta.Score(int(e.margin) + depth*int(e.marginPly))
}

// Quiet returns true: what may fall next is within the margin, and wins at once
// are never left to it.
func (*evaluation) Quiet() bool { return true }
