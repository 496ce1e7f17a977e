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

// captureThree does the work of replies after a stone that is no four, where
// captures count. It is a three if the attacker, were the defender to pass,
// would win by fours within threeWins-1 moves. No zone is trusted here: every
// legal reply is tried, and those that lose to fours in as many moves are left
// out.
func (s *Solver) captureThree() (need int) {
	b := s.board
	from := len(s.stack)
	if s.stack = b.Wins(s.stack); len(s.stack) > from {
		s.stack = s.stack[:from]
		return noThreat
	}
	b.Pass()
	v := s.knownFours(s.fourKey())
	if v == later {
		v = s.shortFours()
	}
	b.Pass()
	if v != won || s.stopped {
		return noThreat
	}
	s.stack = b.Moves(s.stack)
	kept := from
	for i, end := from, len(s.stack); i < end && !s.stopped; i++ {
		if p := s.stack[i]; !s.losesToFours(p) {
			s.stack[kept] = p
			kept++
		}
	}
	s.stack = s.stack[:kept]
	return threeWins
}

// losesToFours reports whether the attacker, after the reply p, wins at once or
// by fours within threeWins-1 moves.
func (s *Solver) losesToFours(p game.Move) bool {
	key := s.board.Board().KeyAfter(p)
	key[1] ^= fourSalt
	switch s.knownFours(key) {
	case won:
		return true
	case never:
		return false
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

// knownFours returns won or never for a position of which the table knows
// whether the attacker wins by fours within threeWins-1 moves, else later.
func (s *Solver) knownFours(key [2]uint64) verdict {
	if e := s.table.find(key); e != nil {
		switch {
		case e.wins < threeWins:
			return won
		case e.fails >= threeWins-1:
			return never
		}
	}
	return later
}

// shortFours decides whether the attacker, to move, wins by fours within
// threeWins-1 moves.
func (s *Solver) shortFours() verdict {
	kind, salt, best := s.kind, s.salt, s.best
	s.kind, s.salt = VCF, fourSalt
	v := s.search(threeWins - 1)
	s.kind, s.salt, s.best = kind, salt, best
	return v
}

// fourKey returns the key of what the table knows of the position about wins by
// fours alone.
func (s *Solver) fourKey() [2]uint64 {
	key := s.board.Board().Key()
	key[1] ^= fourSalt
	return key
}
