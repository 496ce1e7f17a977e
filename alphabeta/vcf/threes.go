package vcf

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// zoneReach is how far from a winning stone the cells lie that decide whether
// it wins: a five through it, and one cell beyond.
const zoneReach = 5

// zones holds for every cell w the cells on its four lines at most zoneReach
// away, w included.
type zones struct {
	size int
	of   [gomoku.MaxSize * gomoku.MaxSize]pattern.Set
	all  pattern.Set
}

// fit prepares the zones for a board size.
func (z *zones) fit(size int) {
	if z.size == size {
		return
	}
	*z = zones{size: size}
	for c := range size * size {
		z.all.Add(c)
		for _, step := range steps {
			for k := -zoneReach; k <= zoneReach; k++ {
				x, y := c%size+k*step.dx, c/size+k*step.dy
				if uint(x) < uint(size) && uint(y) < uint(size) {
					z.of[c].Add(y*size + x)
				}
			}
		}
	}
}

// threeDefences puts the defences against a three on the stack and returns threeWins,
// or noThreat if there is no three. Neither side has a completing cell.
func (s *Solver) threeDefences() (need int) {
	b := s.board
	if s.kind != VCT {
		return noThreat
	}
	open := b.Count(s.attack, pattern.OpenFour) + b.Count(s.attack, pattern.DoubleFour)
	if open == 0 && !s.suspectOpenFour() {
		return noThreat
	}
	s.listThreeDefences()
	return threeWins
}

// suspectOpenFour reports whether the attacker has an open four among the cells
// of which renju must be asked.
func (s *Solver) suspectOpenFour() bool {
	if s.board.Count(s.attack, pattern.Suspect) == 0 {
		return false
	}
	cells := s.board.Cells(s.attack, pattern.Suspect)
	for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
		if s.board.Class(c, s.attack) == pattern.OpenFour {
			return true
		}
	}
	return false
}

// listThreeDefences puts every legal reply on the stack that may stop a three: the
// cells that take away, or weaken, all stones with which the attacker would win,
// and the defender's fours. The package comment says why the others lose.
func (s *Solver) listThreeDefences() {
	b := s.board
	cells := s.zones.all
	if b.Count(s.attack, pattern.OpenFour)+b.Count(s.attack, pattern.DoubleFour) > 0 && !s.mayRunOutOfMoves() {
		cells = b.OpenFourDefences(s.attack)
	}
	for _, class := range fourClasses {
		if b.Count(s.defend, class) > 0 {
			cells = cells.Or(b.Cells(s.defend, class))
		}
	}
	if b.Count(s.defend, pattern.Suspect) > 0 {
		cells = cells.Or(b.Cells(s.defend, pattern.Suspect))
	}
	cells = cells.Without(b.Stones())
	from := len(s.stack)
	s.pushSet(&cells)
	s.keepAllowed(s.defend, from)
}

// keepAllowed takes the moves off the stack, from index from on, that the rules
// forbid to side.
func (s *Solver) keepAllowed(side game.Side, from int) {
	kept := from
	for _, p := range s.stack[from:] {
		if s.board.Board().AllowedFor(side, int(p)) {
			s.stack[kept] = p
			kept++
		}
	}
	s.stack = s.stack[:kept]
}

// mayRunOutOfMoves reports whether the defender, restricted by renju, could be
// left without a legal move, which is a draw, by its own next stone and one
// of the attacker: each changes the lines of at most 40 cells beside its own.
func (s *Solver) mayRunOutOfMoves() bool {
	if !s.rules.Renju[s.defend] {
		return false
	}
	b := s.board
	closed := b.Count(s.defend, pattern.Suspect) + b.Count(s.defend, pattern.Forbidden)
	return b.MaxMoves()-b.Stones().Len()-closed <= 2*(1+4*2*zoneReach)
}
