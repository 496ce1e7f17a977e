package vcf

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// dive decides whether the attacker, who is to move, wins by fours within limit
// moves, limit >= 1, depth first and without deepening: it follows the first
// four that holds and comes back only to disprove. It leaves the first move of
// the win in s.best and returns the number of moves of the win that it found,
// which need not be the shortest. Last is the attacker's last move, NoMove at
// the root: fours near it come first.
func (s *Solver) dive(limit int, last game.Move) (moves int, v verdict) {
	if m := s.winning(); m != game.NoMove {
		s.best = m
		return 1, won
	}
	key := s.key()
	if e := s.table.find(key); e != nil {
		switch {
		case int(e.wins) <= limit:
			s.best = e.move
			return int(e.wins), won
		case e.fails == noDepth:
			return 0, never
		case int(e.fails) >= limit:
			return 0, later
		}
	}
	from := len(s.stack)
	more := s.candidates(limit)
	s.nearest(from, last)
	moves, v = s.diveAll(from, limit)
	s.stack = s.stack[:from]
	switch {
	case s.stopped:
		return 0, later
	case v == won:
		s.table.storeWin(key, moves, s.best)
	case v == never && !more:
		s.table.storeFail(key, noDepth)
	default:
		s.table.storeFail(key, limit)
		v = later
	}
	return moves, v
}

// diveAll tries the fours on the stack, those from index from on, until one
// wins.
func (s *Solver) diveAll(from, limit int) (moves int, v verdict) {
	v = never
	for i, end := from, len(s.stack); i < end; i++ {
		m := s.stack[i]
		n, w := s.diveInto(m, limit)
		switch {
		case s.stopped:
			return 0, later
		case w == won:
			s.best = m
			return n, won
		case w == later:
			v = later
		}
	}
	return 0, v
}

// diveInto decides whether the four m wins within limit moves, itself included,
// and in how many.
func (s *Solver) diveInto(m game.Move, limit int) (moves int, v verdict) {
	five := s.captures && s.board.Cells(s.attack, pattern.Five).Has(int(m))
	if !s.play(m) {
		return 0, later
	}
	from := len(s.stack)
	need := s.listDefences(five)
	end := len(s.stack)
	switch {
	case need == noThreat:
		v = never
	case limit < need, limit == fourWins && end > from && !s.captures:
		v = later
	default:
		moves, v = need, won
	}
	for i := from; i < end && v == won; i++ {
		var n int
		if n, v = s.diveAfter(s.stack[i], limit-1, m); v == won {
			moves = max(moves, 1+n)
		}
	}
	s.stack = s.stack[:from]
	s.board.Undo()
	return moves, v
}

// diveAfter decides whether the attacker, whose last move was m, wins within
// limit moves after the reply p, and in how many.
func (s *Solver) diveAfter(p game.Move, limit int, m game.Move) (moves int, v verdict) {
	if !s.play(p) {
		return 0, later
	}
	v = never
	switch s.board.Outcome() {
	case game.Undecided:
		moves, v = s.dive(limit, m)
	case game.WinFor(s.attack):
		v = won
	}
	s.board.Undo()
	return moves, v
}

// Ranks of the moves of a dive, by class and by their distance from the last
// one; a smaller rank comes first.
const (
	rankWins  = 0
	rankThree = 100
	rankFour  = 200
	offLine   = 30 // for a move that is on no line with the last one
)

// nearest sorts the moves on the stack, those from index from on, by their
// class, those near the last move first.
func (s *Solver) nearest(from int, last game.Move) {
	moves := s.stack[from:]
	for i := 1; i < len(moves); i++ {
		m := moves[i]
		r := s.rank(m, last)
		j := i
		for ; j > 0 && s.rank(moves[j-1], last) > r; j-- {
			moves[j] = moves[j-1]
		}
		moves[j] = m
	}
}

func (s *Solver) rank(m, last game.Move) int {
	rank := rankFour
	switch s.board.LineClass(int(m), s.attack) {
	case pattern.OpenFour, pattern.DoubleFour:
		rank = rankWins
	case pattern.FourThree:
		rank = rankThree
	}
	if last == game.NoMove {
		return rank
	}
	size := s.zones.size
	dx, dy := int(m)%size-int(last)%size, int(m)/size-int(last)/size
	dx, dy = max(dx, -dx), max(dy, -dy)
	if dx != 0 && dy != 0 && dx != dy {
		rank += offLine
	}
	return rank + max(dx, dy)
}
