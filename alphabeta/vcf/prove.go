package vcf

import (
	"github.com/carozero/carozero/alphabeta/proofnumber"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// prove decides the root by depth-first proof-number search, and returns the
// number of attacking moves of the win that it found.
func (s *Solver) prove() (moves int, o Outcome) {
	n, wins := s.attackFrom(s.key(), proofnumber.Unbounded)
	switch {
	case n.PN == 0:
		return int(wins), Win
	case n.DN == 0:
		return 0, None
	}
	return 0, Unknown
}

// attackFrom searches the position, the attacker to move, until its numbers
// reach the thresholds or it is decided. Key is that of the position. With a
// win, wins is the number of attacking moves that were found to suffice, and
// s.best the first.
func (s *Solver) attackFrom(key [2]uint64, th numbers) (n numbers, wins uint8) {
	switch e := s.table.find(key); {
	case e != nil && e.wins != noDepth && e.move != game.NoMove:
		s.best = e.move
		return proofnumber.Proven, e.wins
	case e == nil || e.PN == 0:
		if moves := s.winsAtOnce(); moves > 0 {
			s.table.storeWin(key, moves, s.best)
			return proofnumber.Proven, uint8(moves)
		}
		if s.stopped {
			return proofnumber.Open, 0
		}
	}
	from, mark := len(s.edges), len(s.stack)
	s.candidates(maxMoves)
	for _, m := range s.stack[mark:] {
		s.pushEdge(m, s.promise(m))
	}
	s.stack = s.stack[:mark]
	n, wins = s.attackBelow(key, from, th)
	s.edges = s.edges[:from]
	return n, wins
}

// winsAtOnce returns the number of moves of a win at once or of one by fours
// that is found with a few nodes, its first in s.best; 0 if there is none.
func (s *Solver) winsAtOnce() (moves int) {
	if m := s.winning(); m != game.NoMove {
		s.best = m
		return 1
	}
	best := s.best
	moves, v := s.byFours(leafFours, maxMoves)
	if v != won {
		s.best = best
		return 0
	}
	return moves
}

// leafFours is how many moves are played to look for a win by fours in a
// position that is searched for the first time.
const leafFours = 20

// fourSalt tells what the table knows of wins by fours alone from what it knows
// of wins by threes.
const fourSalt = 0x9e3779b97f4a7c15

// byFours is dive for wins by fours, in a search for threes, with at most nodes
// nodes.
func (s *Solver) byFours(nodes, limit int) (moves int, v verdict) {
	kind, budget, salt := s.kind, s.budget, s.salt
	s.kind, s.salt, s.budget = VCF, fourSalt, min(budget, s.nodes+nodes)
	moves, v = s.dive(limit, game.NoMove)
	s.kind, s.salt, s.budget = kind, salt, budget
	if s.nodes < budget {
		s.stopped = false
	}
	return moves, v
}

// pushEdge puts a move with what the table knows of the position after it on
// the list of edges, n if that is nothing.
func (s *Solver) pushEdge(m game.Move, n numbers) {
	key := s.board.Board().KeyAfter(m)
	key[0] ^= s.salt
	e := edge{key: key, move: m, numbers: n}
	if known := s.table.find(key); known != nil {
		switch {
		case known.wins != noDepth:
			e.numbers, e.wins = proofnumber.Proven, known.wins
		case known.fails == noDepth:
			e.numbers = proofnumber.Disproven
		case known.PN > 0:
			e.numbers = known.numbers
		}
	}
	s.edges = append(s.edges, e)
}

// promise returns the numbers of an attacking move that was never tried.
func (s *Solver) promise(m game.Move) numbers {
	switch class := s.board.LineClass(int(m), s.attack); {
	case class == pattern.Four, class == pattern.Three, class == pattern.DoubleThree:
		return numbers{PN: 2, DN: 1}
	case class.Fours():
		return proofnumber.Open
	}
	return numbers{PN: 3, DN: 1}
}

// attackBelow is attackFrom for a position whose edges are on the list from index
// from on.
func (s *Solver) attackBelow(key [2]uint64, from int, th numbers) (numbers, uint8) {
	for {
		c := s.attacking(from)
		switch {
		case c.PN == 0:
			e := &s.edges[c.Best]
			s.best = e.move
			s.table.storeWin(key, int(e.wins), e.move)
			return proofnumber.Proven, e.wins
		case s.left(key, c.Numbers, th):
			return c.Numbers, 0
		}
		e := s.edges[c.Best]
		e.numbers, e.wins = s.tryEdge(e, c.Thresholds(th, e.numbers))
		s.edges[c.Best] = e
	}
}

// left reports whether the search leaves a position that is not won, of the numbers
// n: it is lost, time is up, or a threshold is reached. It writes down what is known.
func (s *Solver) left(key [2]uint64, n, th numbers) bool {
	switch {
	case n.DN == 0:
		s.table.storeFail(key, noDepth)
	case s.stopped:
	case n.Reached(th):
		s.table.storeNumbers(key, n)
	default:
		return false
	}
	return true
}

// tryEdge searches the position after the attacking move of e to the
// thresholds. With a win, wins counts that move too.
func (s *Solver) tryEdge(e edge, th numbers) (n numbers, wins uint8) {
	from, mark := len(s.edges), len(s.stack)
	var near pattern.Set
	need, played := s.threaten(e.move, &near)
	if !played {
		return e.numbers, 0
	}
	switch {
	case s.stopped:
		n = e.numbers
	case need == noThreat:
		s.table.storeFail(e.key, noDepth)
		n = proofnumber.Disproven
	default:
		s.pushDefences(mark)
		n, wins = s.defendBelow(e.key, from, uint8(need), th, &near)
	}
	s.edges, s.stack = s.edges[:from], s.stack[:mark]
	s.board.Undo()
	return n, wins
}

// pushDefences moves the defences on the stack, those from index from on, to the
// list of edges.
func (s *Solver) pushDefences(from int) {
	for _, p := range s.stack[from:] {
		s.pushEdge(p, proofnumber.Open)
	}
	s.stack = s.stack[:from]
}

// threaten plays the attacking move m, if the budget allows it, and does the
// work of listDefences. What it returns is of no use if the search was stopped on the
// way. If near is not empty afterwards, listFarDefences has more.
func (s *Solver) threaten(m game.Move, near *pattern.Set) (need int, played bool) {
	five := s.captures && s.board.Cells(s.attack, pattern.Five).Has(int(m))
	three := s.captures && s.mayBeThree(m)
	if !s.play(m) {
		return noThreat, false
	}
	need = s.listDefences(five)
	if need == noThreat && three && s.board.Outcome() == game.Undecided && !s.stopped {
		need = s.captureThree(near)
	}
	return need, true
}

// defendBelow searches the position after an attacking move, which needs need moves
// against a pass; the defences are on the list of edges from index from on,
// but for those of listFarDefences unless near is empty.
func (s *Solver) defendBelow(key [2]uint64, from int, need uint8, th numbers, near *pattern.Set) (numbers, uint8) {
	for {
		c, after := s.defending(from)
		if c.DN == 0 && !near.Empty() {
			mark := len(s.stack)
			s.listFarDefences(near)
			s.pushDefences(mark)
			if s.stopped {
				return proofnumber.Open, 0
			}
			*near = pattern.Set{}
			continue
		}
		switch {
		case c.DN == 0:
			wins := min(max(need, after+1), noDepth-1)
			s.table.storeWin(key, int(wins), game.NoMove)
			return proofnumber.Proven, wins
		case s.left(key, c.Numbers.Turned(), th):
			return c.Numbers.Turned(), 0
		}
		e := s.edges[c.Best]
		e.numbers, e.wins = s.after(e, c.Thresholds(th.Turned(), e.Turned()).Turned())
		s.edges[c.Best] = e
	}
}

// after searches the position after the reply of e to the thresholds.
func (s *Solver) after(e edge, th numbers) (n numbers, wins uint8) {
	if !s.play(e.move) {
		return e.numbers, 0
	}
	switch s.board.Outcome() {
	case game.Undecided:
		n, wins = s.attackFrom(e.key, th)
	case game.WinFor(s.attack):
		n = proofnumber.Proven
	default:
		n = proofnumber.Disproven
	}
	s.board.Undo()
	return n, wins
}
