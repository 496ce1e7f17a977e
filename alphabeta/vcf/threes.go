package vcf

import (
	"math/bits"

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
	if s.kind == VCF {
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

// keepIf takes the moves off the stack, from index from on, for which keep is false. What keep
// puts on the stack it takes off again.
func (s *Solver) keepIf(from int, keep func(m game.Move) bool) {
	kept := from
	for i, end := from, len(s.stack); i < end; i++ {
		if m := s.stack[i]; keep(m) {
			s.stack[kept] = m
			kept++
		}
	}
	s.stack = s.stack[:kept]
}

// keepAllowed takes the moves off the stack, from index from on, that the rules
// forbid to side.
func (s *Solver) keepAllowed(side game.Side, from int) {
	s.keepIf(from, func(m game.Move) bool { return s.board.Board().AllowedFor(side, int(m)) })
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

// mayBeThree reports whether, where captures count, the attacker's stone on the
// empty cell m is one of those that are asked whether they are a three: it
// captures, or a row of five cells with no stone of the defender holds it and
// two more of the attacker.
func (s *Solver) mayBeThree(m game.Move) bool {
	if s.kind == VCF {
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
	s.keepLasting(from, threeWins-1)
	return threeWins
}

// listFarDefences puts the replies on the stack that are not in near and do not lose to
// fours, after an attacking move that needs need moves against a pass.
func (s *Solver) listFarDefences(near *pattern.Set, need int) {
	from := len(s.stack)
	s.stack = s.board.Moves(s.stack)
	s.keepIf(from, func(m game.Move) bool { return !near.Has(int(m)) })
	s.keepLasting(from, need-1)
}

// keepLasting takes the replies off the stack, from index from on, that lose to
// fours within limit moves, and all that are left when the search is stopped.
func (s *Solver) keepLasting(from, limit int) {
	s.keepIf(from, func(m game.Move) bool { return !s.stopped && !s.losesToFours(m, limit) })
}

// losesToFours reports whether the attacker, after the reply p, is seen to win at once or
// by fours within limit moves.
func (s *Solver) losesToFours(p game.Move, limit int) bool {
	key := s.board.Board().KeyAfter(p)
	key[0] ^= fourSalt
	if e := s.table.find(key); e != nil {
		switch {
		case int(e.wins) <= limit:
			return true
		case int(e.fails) >= limit:
			return false
		}
	}
	if !s.play(p) {
		return false
	}
	v := never
	switch s.board.Outcome() {
	case game.Undecided:
		v = s.shortFours(limit)
	case game.WinFor(s.attack):
		v = won
	}
	s.board.Undo()
	return v == won
}

// shortFours decides whether the attacker, to move, wins by fours within limit moves.
func (s *Solver) shortFours(limit int) verdict {
	if s.kind == Quiet {
		_, v := s.byFours(farFours, limit)
		return v
	}
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
	threes := s.kind != VCF
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
	return b.Count(s.attack, pattern.Suspect) > 0 || s.kind != VCF && s.hasThrees()
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
		case class.Fours(), s.kind != VCF && d >= threeWins:
			s.stack = append(s.stack, c)
		case s.kind != VCF:
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
	s.keepIf(from, s.board.Legal)
}
