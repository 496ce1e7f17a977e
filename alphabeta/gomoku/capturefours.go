package gomoku

import (
	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// captureFours is fours where stones are captured; it implements
// alphabeta.Solver. Its attacking moves are fours, fives that a capture can
// still break, captures, and stones that flank a pair for the tenth, as far as
// they threaten to win at once. Few such moves are tried before many. The
// defences that it tries are those of vcf.Solver.DefencesAtOnce, the first of them
// the stone where the attacker would win, since that refutes most attacks.
type captureFours struct {
	attacker
	defences *vcf.Solver
	moves    []game.Move // lists of all levels, one after the other
	most     int         // attacking moves
}

func newCaptureFours(b *pattern.Board) *captureFours {
	return &captureFours{
		attacker: newAttacker(b, foursTable),
		defences: vcf.New(vcf.Options{TableBytes: 1}),
		moves:    make([]game.Move, 0, 2*maxFours*b.MaxMoves()),
	}
}

// Budget of a call by the depth left, as horizonFours and depthFours are: there
// are more defences to try than without captures.
const (
	horizonCaptures = 48
	depthCaptures   = 24
	defenceNodes    = 2 // what finding the defences against an attack counts, of the moves played for it
)

// captureShare is the solver's largest part of a search's nodes, in percent.
const captureShare = 67

// Solve looks for a win with at most nodes moves played.
func (s *captureFours) Solve(depth, nodes int) alphabeta.Solution {
	b := s.board
	own := b.ToMove()
	if !hasFour(b, own) && b.Count(own, pattern.Five) == 0 && b.Board().Captured(own) < tenth-2*mostPairs {
		return alphabeta.Solution{}
	}
	budget := min(nodes, horizonCaptures+depthCaptures*depth)
	if s.knows(b.Hash(), budget) {
		return alphabeta.Solution{}
	}
	s.moves = s.moves[:0]
	return s.solve(depth, budget, func() (plies int) {
		for _, s.most = range [...]int{1, 2, maxFours - 1} { // few moves first: one line can take all nodes
			if plies = s.attack(0); plies > 0 || s.stopped {
				break
			}
		}
		return plies
	})
}

// attack returns the plies to the end of a win of the side to move, its first
// move in s.line[n], or 0 if none was found. It has no win at once. At the
// horizon simple fours are tried as the first move only.
func (s *captureFours) attack(n int) (plies int) {
	b := s.board
	if n == s.most {
		return 0
	}
	hash, all := b.Hash(), s.most == maxFours-1
	if all && s.knows(hash, s.left) {
		return 0
	}
	left, from := s.left, len(s.moves)
	s.list(n)
	for i, end := from, len(s.moves); i < end && plies == 0 && !s.stopped; i++ {
		plies = s.try(s.moves[i], n)
	}
	s.moves = s.moves[:from]
	if plies == 0 && !s.stopped && all {
		s.storeFailure(hash, left)
	}
	return plies
}

// captureClasses are the classes of attacking stones in the order in which they
// are tried.
var captureClasses = [...]pattern.Class{
	pattern.OpenFour, pattern.DoubleFour, pattern.FourThree, pattern.Five, pattern.Four,
}

// list appends the attacking moves. Under a five of the opponent's only
// captures can break it.
func (s *captureFours) list(n int) {
	b := s.board
	own := b.ToMove()
	from := len(s.moves)
	var listed pattern.Set
	if !b.Board().Pending() {
		for _, class := range captureClasses {
			if b.Count(own, class) == 0 || s.narrow && n > 0 && class == pattern.Four {
				continue
			}
			cells := b.Cells(own, class)
			listed = listed.Or(cells)
			s.moves = cells.Append(s.moves)
		}
	}
	takes := b.CaptureCells(own)
	if need := tenth - b.Board().Captured(own); need <= 2*mostPairs && !b.Board().Pending() {
		s.addFlanks(&takes, need)
	}
	takes = takes.Without(&listed)
	s.moves = takes.Append(s.moves)
	kept := from
	for _, m := range s.moves[from:] {
		if b.Board().AllowedFor(own, int(m)) {
			s.moves[kept] = m
			kept++
		}
	}
	s.moves = s.moves[:kept]
}

// steps are the directions of lines.
var steps = [...][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}}

// addFlanks adds the cells where a stone of the side to move flanks a pair, so
// that its next one, at the other end, would take the tenth stone, of which need
// are missing.
func (s *captureFours) addFlanks(cells *pattern.Set, need int) {
	b := s.board
	g, size, own := b.Board(), b.Board().Size(), b.ToMove()
	prey := rules.StoneOf(own.Other())
	near := b.Candidates()
	for c := near.Next(0); c >= 0; c = near.Next(c + 1) {
		for i := range 2 * len(steps) {
			step := steps[i/2]
			if i%2 > 0 {
				step[0], step[1] = -step[0], -step[1]
			}
			x, y, by := c%size+3*step[0], c/size+3*step[1], step[1]*size+step[0]
			if x < 0 || y < 0 || x >= size || y >= size || g.At(c+by) != prey || g.At(c+2*by) != prey {
				continue
			}
			if end := c + 3*by; g.At(end) == rules.Empty && b.Takes(own, end)+2 >= need {
				cells.Add(c)
				break
			}
		}
	}
}

// try plays the attacking move m and the defences against it, and returns the
// plies to the end if all of them lose, else 0.
func (s *captureFours) try(m game.Move, n int) (plies int) {
	b := s.board
	own := b.ToMove()
	if !s.spend(1) {
		return 0
	}
	b.Play(m)
	from := len(s.moves)
	switch b.Outcome() {
	case game.Undecided:
		plies = s.defend(own, n)
	case game.WinFor(own):
		plies = 1
	}
	s.moves = s.moves[:from]
	b.Undo()
	s.line[n] = m
	return plies
}

// defend returns the plies from before the attack of side that has just been
// played, if every defence loses, else 0.
func (s *captureFours) defend(side game.Side, n int) (plies int) {
	b := s.board
	pending, first := b.Board().Pending(), game.NoMove
	if !pending {
		from := len(s.moves)
		if s.moves = b.Board().AppendWinsFor(side, s.moves); len(s.moves) == from {
			return 0
		}
		first = s.moves[from]
		s.moves = s.moves[:from]
	}
	from := len(s.moves)
	if s.moves = b.Wins(s.moves); len(s.moves) > from {
		return 0
	}
	plies = 3
	if first != game.NoMove && b.Legal(first) {
		if plies = s.after(first, n+1); plies == 0 {
			return 0
		}
		plies += 2
	}
	if !s.spend(defenceNodes) {
		return 0
	}
	var forced bool
	if s.moves, forced = s.defences.DefencesAtOnce(b, s.moves[:from]); !forced {
		return 0
	}
	for i, end := from, len(s.moves); i < end; i++ {
		if s.moves[i] == first {
			continue
		}
		rest := s.after(s.moves[i], n+1)
		if rest == 0 {
			return 0
		}
		plies = max(plies, rest+2)
	}
	return plies
}

// after returns the plies of the attacker's win after the defence p, 0 if none was
// found.
func (s *captureFours) after(p game.Move, n int) (plies int) {
	b := s.board
	if !s.spend(1) {
		return 0
	}
	attacker := b.ToMove().Other()
	b.Play(p)
	from := len(s.moves)
	switch b.Outcome() {
	case game.Undecided:
		if s.moves = b.Wins(s.moves); len(s.moves) > from {
			plies = 1
		} else {
			plies = s.attack(n)
		}
	case game.WinFor(attacker): // the defence has not broken a five
		plies = 1
	}
	s.moves = s.moves[:from]
	b.Undo()
	return plies
}

// Figures of the capture rule.
const (
	tenth     = 10 // captured stones that win
	mostPairs = 2  // that one move is expected to take at most
)

// nearTenth reports whether side could soon take its tenth stone, and can take
// some now.
func nearTenth(b *pattern.Board, side game.Side) bool {
	if b.Board().Captured(side) < tenth-2*mostPairs {
		return false
	}
	cells := b.CaptureCells(side)
	return !cells.Empty()
}
