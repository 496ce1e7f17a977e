package vcf

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// verdict is the result for one node and depth.
type verdict uint8

const (
	later verdict = iota // no win within this depth, or the search was stopped
	never                // no win at any depth
	won
)

// search decides whether the attacker, who is to move, wins within d moves,
// d >= 1, and leaves the first one in s.best.
func (s *Solver) search(d int) verdict {
	if m := s.winning(); m != game.NoMove {
		s.best = m
		return won
	}
	key := s.key()
	if e := s.table.find(key); e != nil {
		switch {
		case int(e.wins) <= d:
			s.best = e.move
			return won
		case e.fails == noDepth:
			return never
		case int(e.fails) >= d:
			return later
		}
	}
	from := len(s.stack)
	more := s.candidates(d)
	v := s.tryAll(from, d)
	s.stack = s.stack[:from]
	switch {
	case s.stopped:
		return later
	case v == won:
		s.table.storeWin(key, d, s.best)
	case v == never && !more:
		s.table.storeFail(key, noDepth)
	default:
		s.table.storeFail(key, d)
		return later
	}
	return v
}

// tryAll tries the moves on the stack, those from index from on, until one
// wins.
func (s *Solver) tryAll(from, d int) verdict {
	v := never
	for i, end := from, len(s.stack); i < end; i++ {
		m := s.stack[i]
		switch s.try(m, d) {
		case won:
			s.best = m
			return won
		case later:
			v = later
		}
		if s.stopped {
			return later
		}
	}
	return v
}

// try decides whether the attacking move m wins within d moves, itself
// included.
func (s *Solver) try(m game.Move, d int) verdict {
	if d == fourWins && s.parried(m) {
		s.count()
		return later
	}
	five := s.captures && s.board.Cells(s.attack, pattern.Five).Has(int(m))
	if !s.play(m) {
		return later
	}
	from := len(s.stack)
	v := s.afterAttack(s.listDefences(five), from, d)
	s.stack = s.stack[:from]
	s.board.Undo()
	return v
}

// parried reports whether it is known without playing the attacking move m that it
// makes a four, to which the defender has a reply and no win: a single simple
// four, where no five of either side is open. A defender who may be forbidden to
// reply is left out.
func (s *Solver) parried(m game.Move) bool {
	b := s.board
	if s.captures || s.rules.Renju[s.defend] || b.Count(s.defend, pattern.Five) > 0 {
		return false
	}
	class := b.LineClass(int(m), s.attack)
	return class == pattern.Four || class == pattern.FourThree
}

// afterAttack decides the position after an attacking move, which wins in need
// moves, itself included, against a defender who passes. The defences are
// on the stack from index from on.
func (s *Solver) afterAttack(need, from, d int) verdict {
	switch end := len(s.stack); {
	case need == noThreat:
		return never
	case d < need, d == fourWins && end > from && !s.captures:
		return later
	default:
		for i := from; i < end; i++ {
			if v := s.refute(s.stack[i], d-1); v != won {
				return v
			}
		}
		return won
	}
}

// refute decides whether the attacker wins within d moves after the reply p.
func (s *Solver) refute(p game.Move, d int) verdict {
	if !s.play(p) {
		return later
	}
	v := never
	switch s.board.Outcome() {
	case game.Undecided:
		v = s.search(d)
	case game.WinFor(s.attack):
		v = won
	}
	s.board.Undo()
	return v
}

// winning returns a move that wins at once, NoMove if there is none.
func (s *Solver) winning() game.Move {
	b := s.board
	if !s.captures {
		if b.Count(s.attack, pattern.Five) == 0 {
			return game.NoMove
		}
		return game.Move(b.Cells(s.attack, pattern.Five).Next(0))
	}
	from := len(s.stack)
	s.stack = b.Wins(s.stack)
	m := game.NoMove
	if len(s.stack) > from {
		m = s.stack[from]
	}
	s.stack = s.stack[:from]
	return m
}
