package gomoku

import (
	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// fours looks for a win by continuous fours of the side to move; it implements
// alphabeta.Solver for rules without captures. It differs from vcf.Solver in
// what serves a search that asks at every node: it takes the first win instead
// of the shortest, stops at an open four, which it need not play, and keeps its
// table from call to call.
type fours struct {
	attacker
	restricted [2]bool // whether the side may be forbidden a defence
	traps      traps
}

// attacker is what both solvers of fours keep.
type attacker struct {
	board   *pattern.Board
	table   []known // its length is a power of two
	salt    uint64  // of the table's keys: entries of another one count as empty
	line    [maxFours]game.Move
	left    int // nodes
	stopped bool
	narrow  bool // at the horizon; see attack
	cut     bool // a line has been cut off at maxFours, so that failures prove nothing
}

// solve returns what attack finds with that many nodes.
func (s *attacker) solve(depth, budget int, attack func() (plies int)) alphabeta.Solution {
	s.left, s.stopped, s.narrow, s.cut = budget, false, depth == 0, false
	s.board.PauseValues()
	plies := attack()
	s.board.ResumeValues()
	found := alphabeta.Solution{Nodes: budget - s.left}
	if plies > 0 {
		found.Won, found.Move, found.Plies = true, s.line[0], plies
	} else if s.stopped {
		s.store(s.board.Hash(), uint32(budget))
	}
	return found
}

// spend counts nodes and reports whether there were so many left.
func (s *attacker) spend(nodes int) bool {
	if s.left < nodes {
		s.stopped = true
		return false
	}
	s.left -= nodes
	return true
}

// knows reports whether that many nodes are known to find no win of the position.
func (s *attacker) knows(hash uint64, nodes int) bool {
	e := &s.table[hash&uint64(len(s.table)-1)]
	return e.key == hash^s.salt && int(e.spent) >= nodes
}

// store records that so many nodes found no win.
func (s *attacker) store(hash uint64, spent uint32) {
	s.table[hash&uint64(len(s.table)-1)] = known{hash ^ s.salt, spent}
}

// storeFailure records that attack, which had that many nodes left, found no win.
func (s *attacker) storeFailure(hash uint64, left int) {
	if s.cut {
		return
	}
	spent := uint32(exhausted)
	if s.narrow {
		spent = uint32(left)
	}
	s.store(hash, spent)
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
	return &fours{newAttacker(b, foursTable), r.Renju, traps{b, r.Renju}}
}

func newAttacker(b *pattern.Board, table int) attacker {
	return attacker{board: b, table: make([]known, table)}
}

// LeafFours looks for wins by continuous fours at the leaves of another search. Its
// answer depends on the position alone. It belongs to one goroutine.
type LeafFours struct {
	fours
	nodes int
	calls uint64
}

// leafTable is the length of a LeafFours' table, which serves one call at a time.
const leafTable = 1 << 10

// NewLeafFours returns a solver that plays at most nodes moves a position, nil for rules
// with captures or with double-three for both sides.
func NewLeafFours(r rules.Rules, nodes int) *LeafFours {
	if r.Captures || r.DoubleThree {
		return nil
	}
	s := &LeafFours{nodes: nodes}
	s.table, s.restricted, s.traps.restricted = make([]known, leafTable), r.Renju, r.Renju
	return s
}

// Prove reports whether the side to move, which has no win at once, wins by continuous
// fours, with which move, and in how many plies at most. It leaves b unchanged.
func (s *LeafFours) Prove(b *pattern.Board) (m game.Move, plies int, won bool) {
	if !hasFour(b, b.ToMove()) {
		return game.NoMove, 0, false
	}
	s.calls++
	s.board, s.traps.board, s.salt = b, b, mixed(s.calls)
	depth := 0
	if s.nodes > widestHorizon {
		depth = 1
	}
	found := s.solve(depth, s.nodes, func() int { return s.attack(0) })
	return found.Move, found.Plies, found.Won
}

// widestHorizon is the largest budget with which a LeafFours leaves out what the horizon
// of the classical search does.
const widestHorizon = 64

// mixed returns 64 bits that depend on all bits of x (splitmix64, Steele et al., 2014).
func mixed(x uint64) uint64 {
	x *= 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Budget of a call by the depth left: nodes at the horizon, and more for every
// ply above it.
const (
	horizonFours = 16
	depthFours   = 8
)

// Solve looks for a win with at most nodes moves played.
func (s *fours) Solve(depth, nodes int) alphabeta.Solution {
	if !hasFour(s.board, s.board.ToMove()) {
		return alphabeta.Solution{}
	}
	return s.solve(depth, min(nodes, horizonFours+depthFours*depth), func() int { return s.attack(0) })
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
		if b.Count(own, class) > 0 && s.goesOn(b.Cells(own, class).Next(0)) {
			s.line[n] = game.Move(b.Cells(own, class).Next(0))
			return 3
		}
	}
	if b.Count(own, pattern.FourThree)+b.Count(own, pattern.Four) == 0 || s.tooDeep(n) {
		return 0
	}
	if c, found := s.traps.find(own); found {
		s.line[n] = game.Move(c)
		return 3
	}
	hash := b.Hash()
	if s.knows(hash, s.left) {
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
	s.storeFailure(hash, s.left)
	return 0
}

// tooDeep reports whether the attack is to be cut off after n fours.
func (s *attacker) tooDeep(n int) bool {
	s.cut = s.cut || n+1 == maxFours
	return n+1 == maxFours
}

// goesOn reports whether the game goes on after a stone of the side to move on c: it is
// drawn where renju leaves the opponent no legal move.
func (s *fours) goesOn(c int) bool {
	b := s.board
	opp := b.ToMove().Other()
	if !s.restricted[opp] || !mayRunOut(b, opp, 1) {
		return true
	}
	b.Play(game.Move(c))
	defer b.Undo()
	return b.Outcome() == game.Undecided
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
	if s.tooDeep(n) {
		return 0
	}
	defences := b.FiveDefences(own.Other())
	for c := defences.Next(0); c >= 0; c = defences.Next(c + 1) {
		switch class := b.LineClass(c, own); {
		case class >= pattern.DoubleFour && class <= pattern.OpenFour && s.goesOn(c):
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
	if b.Outcome() != game.Undecided { // no legal defence: a draw
		b.Undo()
		return 0
	}
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
	if !s.spend(1) {
		return 0
	}
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
