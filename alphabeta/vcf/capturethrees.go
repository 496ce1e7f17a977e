package vcf

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// mayBeThree reports whether, where captures count, the attacker's stone on the
// empty cell m is one of those that are asked whether they are a three: it
// captures, or a row of five cells with no stone of the defender holds it and
// two more of the attacker.
func (s *Solver) mayBeThree(m game.Move) bool {
	if s.kind != VCT {
		return false
	}
	class := s.board.LineClass(int(m), s.attack)
	return class >= pattern.HalfThree && class <= pattern.Five || s.board.Takes(s.attack, int(m)) > 0
}

// captureThree does the work of listDefences after a stone that is no four, where
// captures count. It is a three if the attacker, were the defender to pass,
// would win by fours within threeWins-1 moves. No zone is trusted here: every
// legal reply is tried, and those that lose to fours in as many moves are left
// out. Those near the winning four come first: only they are put on the stack,
// and near holds them; listFarDefences does the rest, which is for nothing if one of
// the first holds.
func (s *Solver) captureThree(near *pattern.Set) (need int) {
	b := s.board
	from := len(s.stack)
	if s.stack = b.Wins(s.stack); len(s.stack) > from {
		s.stack = s.stack[:from]
		return noThreat
	}
	b.Pass()
	w := s.shortWin()
	b.Pass()
	if w == game.NoMove || s.stopped {
		return noThreat
	}
	*near = s.zone(int(w)).Or(&s.zones.of[w])
	fours := b.FourCells(s.defend)
	*near = near.Or(&fours)
	cells := near.Without(b.Stones())
	s.pushSet(&cells)
	s.keepAllowed(s.defend, from)
	s.keepLasting(from)
	return threeWins
}

// listFarDefences puts the replies to a three on the stack that are not in near and
// do not lose to fours at once.
func (s *Solver) listFarDefences(near *pattern.Set) {
	from := len(s.stack)
	s.stack = s.board.Moves(s.stack)
	kept := from
	for _, p := range s.stack[from:] {
		if !near.Has(int(p)) {
			s.stack[kept] = p
			kept++
		}
	}
	s.stack = s.stack[:kept]
	s.keepLasting(from)
}

// keepLasting takes the replies off the stack, from index from on, that lose to
// fours within threeWins-1 moves.
func (s *Solver) keepLasting(from int) {
	kept := from
	for i, end := from, len(s.stack); i < end && !s.stopped; i++ {
		if p := s.stack[i]; !s.losesToFours(p) {
			s.stack[kept] = p
			kept++
		}
	}
	s.stack = s.stack[:kept]
}

// losesToFours reports whether the attacker, after the reply p, wins at once or
// by fours within threeWins-1 moves.
func (s *Solver) losesToFours(p game.Move) bool {
	key := s.board.Board().KeyAfter(p)
	key[0] ^= fourSalt
	if e := s.table.find(key); e != nil {
		switch {
		case e.wins < threeWins:
			return true
		case e.fails >= threeWins-1:
			return false
		}
	}
	if !s.play(p) {
		return false
	}
	v := never
	switch s.board.Outcome() {
	case game.Undecided:
		v = s.shortFours()
	case game.WinFor(s.attack):
		v = won
	}
	s.board.Undo()
	return v == won
}

// shortFours decides whether the attacker, to move, wins by fours within
// threeWins-1 moves.
func (s *Solver) shortFours() verdict {
	if s.shortWin() != game.NoMove {
		return won
	}
	return later
}

// shortWin returns the first move of such a win, NoMove if there is none or the
// budget does not last.
func (s *Solver) shortWin() game.Move {
	kind, salt, best := s.kind, s.salt, s.best
	s.kind, s.salt = VCF, fourSalt
	w := game.NoMove
	if s.search(threeWins-1) == won {
		w = s.best
	}
	s.kind, s.salt, s.best = kind, salt, best
	return w
}
