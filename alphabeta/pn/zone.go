package pn

import (
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// zone returns the cells where a stone of the defender, who is to move, may change that
// the attacker wins by fours should the defender pass: the win that the solver finds
// holds as it is after every other reply. wins says that it finds one. ok is false
// without a win, and under rules by which stones elsewhere make moves legal or are taken
// off.
//
// The win is a tree of fours. A stone r of the defender that is on the board from the
// start leaves it what it is
//
//   - if r is none of the attacker's moves, and touches no cell where one of its fours
//     completes the five, nor an end of the run there where blocked ends count: then
//     each four is answered by the same replies;
//   - if after each of the attacker's fours a stone on r would make no four of the
//     defender: then r never gives it a cell where it wins first.
func (s *Solver) zone() (cells pattern.Set, ok, wins bool) {
	s.board.Pass()
	defer s.board.Pass()
	r := s.board.Board().Rules()
	if r.Captures || r.DoubleThree || r.Renju != [2]bool{} {
		return cells, false, s.won(vcf.VCF, s.opts.Fours)
	}
	line := s.winningFours()
	if line == nil {
		return cells, false, false
	}
	ok = s.fours(line, &cells)
	return cells, ok, true
}

// fours adds the zone of the win by fours of the side to move that has the line. It
// reports false if it does not find the win after another reply.
func (s *Solver) fours(line []game.Move, zone *pattern.Set) (ok bool) {
	b := s.board
	attacker := b.ToMove()
	if c := b.Cells(attacker, pattern.Five).Next(0); c >= 0 {
		s.near(attacker, c, zone)
		return true
	}
	if len(line) == 0 {
		if line = s.winningFours(); len(line) == 0 {
			return false
		}
	}
	zone.Add(int(line[0]))
	b.Play(line[0])
	s.nodes++
	defer b.Undo()
	fours := b.FourCells(b.ToMove())
	*zone = zone.Or(&fours)
	fives := b.Cells(attacker, pattern.Five)
	for c := fives.Next(0); c >= 0; c = fives.Next(c + 1) {
		s.near(attacker, c, zone)
	}
	from := len(s.list)
	defer func() { s.list = s.list[:from] }()
	list, forced := s.leaf.DefencesAtOnce(b, s.list)
	s.list = list
	if !forced {
		return false
	}
	for i, end := from, len(s.list); i < end; i++ {
		var rest []game.Move
		if len(line) > 2 && s.list[i] == line[1] {
			rest = line[2:]
		}
		b.Play(s.list[i])
		s.nodes++
		ok := b.Outcome() == game.Undecided && s.fours(rest, zone)
		b.Undo()
		if !ok {
			return false
		}
	}
	return true
}

// near adds the cells where a stone of the other side can keep side's stone on c from
// winning: c, and behind the runs through c where blocked ends count.
func (s *Solver) near(side game.Side, c int, zone *pattern.Set) {
	zone.Add(c)
	g := s.board.Board()
	if !g.Rules().OpponentBlocks {
		return
	}
	own, size := gomoku.StoneOf(side), g.Size()
	for _, step := range [8][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {-1, 0}, {0, -1}, {-1, -1}, {1, -1}} {
		for x, y := c%size+step[0], c/size+step[1]; uint(x) < uint(size) && uint(y) < uint(size); x, y = x+step[0], y+step[1] {
			if cell := y*size + x; g.At(cell) != own {
				zone.Add(cell)
				break
			}
		}
	}
}
