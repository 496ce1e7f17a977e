package onitama

import "github.com/carozero/carozero/game"

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
