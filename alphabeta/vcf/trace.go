package vcf

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// trace returns the line of the win within depth moves that findWin has just
// found: shortest wins against the replies that hold out longest. It finds them
// again with the help of the table, under a budget as large as the first; when
// that is spent, the line stays short. The first move is always there.
func (s *Solver) trace(depth int) []game.Move {
	s.budget += s.nodes
	s.line = append(s.line, s.best)
	played := 0
	for depth > 1 {
		m := s.line[len(s.line)-1]
		five := s.captures && s.board.Cells(s.attack, pattern.Five).Has(int(m))
		if !s.play(m) {
			break
		}
		played++
		p, next := s.longest(five, depth-1)
		if p == game.NoMove || !s.play(p) {
			break
		}
		played++
		if s.search(next) != won {
			break
		}
		s.line = append(s.line, p, s.best)
		depth = next
	}
	for range played {
		s.board.Undo()
	}
	return s.line
}

// longest returns the reply to the attacking move just played that holds out
// longest, and for how many moves of the attacker, at most limit; NoMove if the
// budget does not last.
func (s *Solver) longest(five bool, limit int) (reply game.Move, depth int) {
	from := len(s.stack)
	s.listDefences(five)
	if len(s.stack) == from {
		s.stack = append(s.stack, s.idle())
	}
	reply = game.NoMove
	for i, end := from, len(s.stack); i < end && !s.stopped; i++ {
		p := s.stack[i]
		if d := s.distance(p, limit); d > depth {
			reply, depth = p, d
		}
	}
	s.stack = s.stack[:from]
	if s.stopped {
		return game.NoMove, 0
	}
	return reply, depth
}

// idle returns a legal reply where none is a defence: on a completing cell if the
// defender may play there.
func (s *Solver) idle() game.Move {
	b := s.board
	cells := b.Cells(s.attack, pattern.Five)
	for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
		if b.Legal(game.Move(c)) {
			return game.Move(c)
		}
	}
	c := 0
	for !b.Legal(game.Move(c)) {
		c++
	}
	return game.Move(c)
}

// distance returns the number of moves that the attacker needs after the reply
// p, 0 if it is more than limit or the game is over.
func (s *Solver) distance(p game.Move, limit int) int {
	if !s.play(p) {
		return 0
	}
	found := 0
	for d := 1; d <= limit && s.board.Outcome() == game.Undecided; d++ {
		if s.search(d) == won {
			found = d
			break
		}
	}
	s.board.Undo()
	return found
}
