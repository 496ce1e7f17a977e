package pattern

import (
	"github.com/carozero/carozero/game"
)

// ToMove returns the side whose turn it is.
func (b *Board) ToMove() game.Side { return b.board.ToMove() }

// Ply returns the number of moves played, the stones of a setup included.
func (b *Board) Ply() int { return b.board.Ply() }

// Hash returns the hash of the wrapped board.
func (b *Board) Hash() uint64 { return b.board.Hash() }

// Outcome returns the result, Undecided while the game goes on.
func (b *Board) Outcome() game.Outcome { return b.board.Outcome() }

// Reason returns why the game is over.
func (b *Board) Reason() game.Reason { return b.board.Reason() }

// Moves appends the legal moves in ascending order.
func (b *Board) Moves(buf []game.Move) []game.Move { return b.board.Moves(buf) }

// Legal reports whether m is a legal move.
func (b *Board) Legal(m game.Move) bool { return b.board.Legal(m) }

// MaxMoves returns the number of cells.
func (b *Board) MaxMoves() int { return b.board.MaxMoves() }

// Wins appends, in ascending order, the legal moves that win at once.
func (b *Board) Wins(buf []game.Move) []game.Move {
	side := b.board.ToMove()
	switch {
	case b.rules.Captures:
		return b.board.Wins(buf)
	case b.board.Outcome() != game.Undecided || b.counts[side][Five] == 0:
		return buf
	}
	start := len(buf)
	buf = b.sets[side][Five].Append(buf)
	if !b.rules.DoubleThree && b.rules.OpenDistance == 0 {
		return buf
	}
	kept := start
	for _, m := range buf[start:] {
		if b.board.AllowedFor(side, int(m)) {
			buf[kept] = m
			kept++
		}
	}
	return buf[:kept]
}

// Pass gives the turn to the other side, as gomoku.Board does.
func (b *Board) Pass() { b.board.Pass() }

// Clone returns an independent copy, its history included.
func (b *Board) Clone() game.Position {
	c := *b
	c.board = b.board.Copy()
	c.frames = append(make([]frame, 0, cap(b.frames)), b.frames...)
	c.changes = append(make([]change, 0, cap(b.changes)), b.changes...)
	c.now, c.later = nil, nil
	return &c
}
