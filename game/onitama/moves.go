package onitama

import (
	"math/bits"

	"github.com/carozero/carozero/game"
)

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
