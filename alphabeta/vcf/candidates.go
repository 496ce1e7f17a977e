package vcf

import (
	"math/bits"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// The classes of attacking moves in the order in which they are tried.
var (
	fourClasses  = [...]pattern.Class{pattern.OpenFour, pattern.DoubleFour, pattern.FourThree, pattern.Four}
	threeClasses = [...]pattern.Class{pattern.DoubleThree, pattern.Three, pattern.StrongThree, pattern.HalfThree}
)

// candidates puts the moves that may win within d moves, d >= 1, on the stack,
// and reports whether there may be others that need more. The attacker has no
// win at once.
func (s *Solver) candidates(d int) (more bool) {
	switch {
	case d < fourWins:
		return s.hopeful()
	case s.captures:
		s.captureCandidates()
		return false
	case s.board.Count(s.defend, pattern.Five) > 0:
		return s.candidatesUnderFive(d)
	}
	from := len(s.stack)
	for _, class := range fourClasses {
		s.push(s.attack, class)
	}
	threes := s.kind == VCT
	if d < threeWins {
		more = threes && s.hasThrees()
		threes = false
	}
	s.suspects(threes)
	if threes {
		for _, class := range threeClasses {
			s.push(s.attack, class)
		}
	}
	s.openingDistance(from)
	return more
}

// hopeful reports whether there may be an attacking move at all.
func (s *Solver) hopeful() bool {
	b := s.board
	if s.captures {
		return true
	}
	for _, class := range fourClasses {
		if b.Count(s.attack, class) > 0 {
			return true
		}
	}
	return b.Count(s.attack, pattern.Suspect) > 0 || s.kind == VCT && s.hasThrees()
}

func (s *Solver) hasThrees() bool {
	for _, class := range threeClasses {
		if s.board.Count(s.attack, class) > 0 {
			return true
		}
	}
	return s.board.Count(s.attack, pattern.Suspect) > 0 || s.board.Count(s.defend, pattern.Five) > 0
}

// candidatesUnderFive does the work of candidates where the defender threatens to
// win at once, so that the attacking move must be a defence as well.
func (s *Solver) candidatesUnderFive(d int) (more bool) {
	defences, n := s.fiveDefences(s.defend)
	for _, c := range defences[:n] {
		class := s.board.Class(int(c), s.attack)
		switch {
		case class == pattern.Forbidden:
		case class.Fours(), s.kind == VCT && d >= threeWins:
			s.stack = append(s.stack, c)
		case s.kind == VCT:
			more = true
		}
	}
	return more
}

// push puts the cells of a class on the stack, in ascending order.
func (s *Solver) push(side game.Side, class pattern.Class) {
	if s.board.Count(side, class) > 0 {
		s.pushSet(s.board.Cells(side, class))
	}
}

func (s *Solver) pushSet(set *pattern.Set) {
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			s.stack = append(s.stack, game.Move(i<<6+bits.TrailingZeros64(w)))
		}
	}
}

// suspects puts the attacker's cells with two open threes on the stack that
// renju allows and that make a four, or also those that make none.
func (s *Solver) suspects(threes bool) {
	b := s.board
	if b.Count(s.attack, pattern.Suspect) == 0 {
		return
	}
	cells := b.Cells(s.attack, pattern.Suspect)
	for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
		class := b.Class(c, s.attack)
		if class != pattern.Forbidden && (threes || class.Fours()) {
			s.stack = append(s.stack, game.Move(c))
		}
	}
}

// openingDistance takes moves off the stack that the opening restriction
// forbids; it concerns the third stone of a game only.
func (s *Solver) openingDistance(from int) {
	if s.rules.OpenDistance == 0 || s.board.Board().Ply() > 2 {
		return
	}
	kept := from
	for _, m := range s.stack[from:] {
		if s.board.Legal(m) {
			s.stack[kept] = m
			kept++
		}
	}
	s.stack = s.stack[:kept]
}
