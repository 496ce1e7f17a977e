package gomoku

import (
	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// fours looks for a win by continuous fours of the side to move; it implements
// alphabeta.Solver for rules without captures. It differs from vcf.Solver in
// what serves a search that asks at every node: it takes the first win instead
// of the shortest, stops at an open four, which it need not play, and keeps its
// table from call to call.
type fours struct {
	board      *pattern.Board
	restricted [2]bool // whether the side may be forbidden a defence
	traps      traps
	table      []known
	line       [maxFours]game.Move
	left       int
	stopped    bool
	narrow     bool // at the horizon; see attack
}

// known is the table's entry of a position with the attacker to move: how many nodes have
// not found a win, or exhausted if there is none.
type known struct {
	key   uint64
	spent uint32
}

const (
	exhausted  = 1<<32 - 1
	foursTable = 1 << 15
	maxFours   = 32 // moves of the attacker in a win
)

// newSolver returns the solver for the rules of b.
func newSolver(b *pattern.Board) alphabeta.Solver {
	r := b.Board().Rules()
	switch {
	case r.Captures:
		return newCaptureFours(b)
	case r.DoubleThree:
		return nil
	}
	return &fours{board: b, restricted: r.Renju, traps: traps{b, r.Renju}, table: make([]known, foursTable)}
}

// Budget of a call by the depth left: nodes at the horizon, and more for every
// ply above it.
const (
	horizonFours = 16
	depthFours   = 8
)

// Solve looks for a win with at most nodes moves played.
func (s *fours) Solve(depth, nodes int) alphabeta.Solution {
	b := s.board
	own := b.ToMove()
	if !hasFour(b, own) {
		return alphabeta.Solution{}
	}
	budget := min(nodes, horizonFours+depthFours*depth)
	s.left, s.stopped, s.narrow = budget, false, depth == 0
	b.PauseValues()
	plies := s.attack(0)
	b.ResumeValues()
	found := alphabeta.Solution{Nodes: budget - s.left}
	if plies > 0 {
		found.Won, found.Move, found.Plies = true, s.line[0], plies
		return found
	}
	if s.stopped {
		s.store(b.Hash(), uint32(budget))
	}
	return found
}

// hasFour reports whether side has a stone that makes a four.
func hasFour(b *pattern.Board, side game.Side) bool {
	return b.Count(side, pattern.Four)+b.Count(side, pattern.FourThree)+
		b.Count(side, pattern.OpenFour)+b.Count(side, pattern.DoubleFour) > 0
}

// attack returns the plies to the end of a win of the side to move, its first
// move in s.line[n], or 0 if none was found. It has no win at once. Open fours and
// traps win whatever else stands there. At the horizon a four that leaves nothing
// beside its own line is tried as the first one only: that saves a third of all nodes
// to a depth and loses no position of the tactical suite.
func (s *fours) attack(n int) (plies int) {
	b := s.board
	own := b.ToMove()
	if b.Count(own.Other(), pattern.Five) > 0 {
		return s.attackUnderFive(n)
	}
	for _, class := range [...]pattern.Class{pattern.OpenFour, pattern.DoubleFour} {
		if b.Count(own, class) > 0 {
			s.line[n] = game.Move(b.Cells(own, class).Next(0))
			return 3
		}
	}
	if b.Count(own, pattern.FourThree)+b.Count(own, pattern.Four) == 0 || n+1 == maxFours {
		return 0
	}
	if c, found := s.traps.find(own); found {
		s.line[n] = game.Move(c)
		return 3
	}
	hash := b.Hash()
	if e := &s.table[hash%foursTable]; e.key == hash && int(e.spent) >= s.left {
		return 0
	}
	leading, others := s.sorted(own)
	if s.narrow && n > 0 {
		others = pattern.Set{}
	}
	for _, cells := range [...]*pattern.Set{b.Cells(own, pattern.FourThree), &leading, &others} {
		for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
			if plies := s.try(c, n); plies > 0 || s.stopped {
				return plies
			}
		}
	}
	spent := uint32(exhausted)
	if s.narrow {
		spent = uint32(s.left)
	}
	s.store(hash, spent)
	return 0
}

// sorted returns the simple fours of side: those that leave it another pattern beside
// their own line, and the others, which can only prepare one. If there are only one or two
// of the latter, it returns none: they nearly always use up each other's line, so that few
// wins are overlooked, none of five plies or fewer.
func (s *fours) sorted(side game.Side) (leading, others pattern.Set) {
	b := s.board
	cells := b.Cells(side, pattern.Four)
	for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
		if b.Second(c, side) >= pattern.ClosedThree {
			leading.Add(c)
		} else {
			others.Add(c)
		}
	}
	if leading.Empty() && others.Len() <= 2 {
		others = pattern.Set{}
	}
	return leading, others
}

// attackUnderFive is attack where the opponent threatens a five, so that the
// four must take that away.
func (s *fours) attackUnderFive(n int) (plies int) {
	b := s.board
	own := b.ToMove()
	if n+1 == maxFours {
		return 0
	}
	defences := b.FiveDefences(own.Other())
	for c := defences.Next(0); c >= 0; c = defences.Next(c + 1) {
		switch class := b.LineClass(c, own); {
		case class == pattern.OpenFour, class == pattern.DoubleFour:
			s.line[n] = game.Move(c)
			return 3
		case class.Fours():
			if plies := s.try(c, n); plies > 0 || s.stopped {
				return plies
			}
		}
	}
	return 0
}

// try plays the four on c and every defence, and returns the plies to the end if
// all of them lose, else 0.
func (s *fours) try(c, n int) (plies int) {
	b := s.board
	own := b.ToMove()
	if s.left < 2 {
		s.stopped = true
		return 0
	}
	s.left--
	b.Play(game.Move(c))
	plies = 3
	defences := b.FiveDefences(own)
	for p := defences.Next(0); p >= 0; p = defences.Next(p + 1) {
		if s.restricted[own.Other()] && !b.Board().AllowedFor(own.Other(), p) {
			continue
		}
		rest := s.after(p, n+1)
		if rest == 0 {
			plies = 0
			break
		}
		plies = max(plies, rest+2)
	}
	b.Undo()
	s.line[n] = game.Move(c)
	return plies
}

// after returns what attack finds after the defence p.
func (s *fours) after(p, n int) (plies int) {
	b := s.board
	if s.left == 0 {
		s.stopped = true
		return 0
	}
	s.left--
	b.Play(game.Move(p))
	switch {
	case b.Outcome() != game.Undecided:
	case b.Count(b.ToMove(), pattern.Five) > 0:
		plies = 1
	default:
		plies = s.attack(n)
	}
	b.Undo()
	return plies
}

// store records that so many nodes found no win.
func (s *fours) store(hash uint64, spent uint32) { s.table[hash%foursTable] = known{hash, spent} }
