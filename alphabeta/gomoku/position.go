package gomoku

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// position is a board on which a side may skip its turn.
type position struct{ *pattern.Board }

// Room that must be left on the board for a skipped turn: near its end a turn
// may be a burden, and a side that renju restricts may run out of moves.
const leastRoom = 12

// CanPass reports whether the side to move is free to do something else than to
// answer: the opponent has no stone that wins or leaves an open four or two.
func (p *position) CanPass() bool {
	opp := p.ToMove().Other()
	if p.Count(opp, pattern.Five)+p.Count(opp, pattern.OpenFour)+p.Count(opp, pattern.DoubleFour) > 0 {
		return false
	}
	if p.Board.Board().Rules().Captures && !p.calm(opp) {
		return false
	}
	return p.MaxMoves()-p.Stones().Len() >= leastRoom && !p.Stones().Empty()
}

// calm reports whether opp neither has a standing five that must be broken nor
// could take its tenth stone.
func (p *position) calm(opp game.Side) bool {
	b := p.Board.Board()
	return !b.Pending() && b.Captured(opp) < tenth-2*mostPairs
}

// Figures of the capture rule.
const (
	tenth     = 10 // captured stones that win
	mostPairs = 2  // that one move is expected to take at most
)
