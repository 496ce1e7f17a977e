package gomoku

import "github.com/carozero/carozero/game"

// Play puts a stone of the side to move on the cell m and takes captured pairs
// off. The move must be legal; see [game.Position].
func (b *Board) Play(m game.Move) {
	side, cell := b.toMove, int(m)
	rec := record{key: b.key, move: m, pending: b.pending}
	b.put(side, cell)
	if b.rules.Captures {
		if rec.taken = b.flanked(side, cell); rec.taken != 0 {
			b.capture(side, cell, rec.taken)
		}
	}
	b.key = b.key.xor(keys.second)
	b.history = append(b.history, rec)
	b.toMove = side.Other()
	b.closed.known = false
	if b.rules.Captures {
		b.settleCapture(side, cell)
	} else if b.completes(side, cell) {
		b.end(game.WinFor(side), game.Line)
	}
	if b.outcome == game.Undecided {
		b.settleMoves()
	}
}

// Undo takes the last move back.
func (b *Board) Undo() {
	last := len(b.history) - 1
	rec := &b.history[last]
	side, cell := b.toMove.Other(), int(rec.move)
	if rec.taken != 0 {
		b.release(side, cell, rec.taken)
	}
	b.remove(side, cell)
	b.key, b.pending = rec.key, rec.pending
	b.history = b.history[:last]
	b.toMove = side
	b.outcome, b.reason = game.Undecided, game.NoReason
	b.closed.known = false
}

// Pass gives the turn to the other side; a second call gives it back. No rule allows a
// pass: it is for searches that look for threats. The game must be undecided with no five
// pending, and moves played after the first call must be undone before the second.
func (b *Board) Pass() {
	b.toMove = b.toMove.Other()
	b.key = b.key.xor(keys.second)
	b.closed.known = false
}

// put adds a stone, and remove takes one off. Both update the key.
func (b *Board) put(side game.Side, cell int) {
	b.toggle(side, cell)
	b.cells[cell] = StoneOf(side)
	b.stones++
	b.key = b.key.xor(keys.stone[cell][side])
}

func (b *Board) remove(side game.Side, cell int) {
	b.toggle(side, cell)
	b.cells[cell] = Empty
	b.stones--
	b.key = b.key.xor(keys.stone[cell][side])
}

// toggle flips a stone on the lines alone.
func (b *Board) toggle(side game.Side, cell int) {
	w, p := &b.lines[side], &b.geo.place[cell]
	w[p.line[0]] ^= 1 << (p.bit[0] & 31)
	w[p.line[1]] ^= 1 << (p.bit[1] & 31)
	w[p.line[2]] ^= 1 << (p.bit[2] & 31)
	w[p.line[3]] ^= 1 << (p.bit[3] & 31)
}

func (b *Board) end(o game.Outcome, r game.Reason) { b.outcome, b.reason = o, r }

// settleMoves ends the game as a draw if the side to move cannot move.
func (b *Board) settleMoves() {
	switch {
	case b.stones == b.geo.cells:
		b.end(game.Draw, game.Full)
	case b.restricted[b.toMove] && !b.canMove():
		b.end(game.Draw, game.NoMoves)
	}
}
