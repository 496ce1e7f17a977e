package vcf

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// How many moves an attacking move needs to win, itself included, against a
// defender who passes.
const (
	noThreat  = 0
	fourWins  = 2
	threeWins = 3
)

// replies puts the replies to the attacking move just played on the stack that
// do not lose at once, and returns how many moves the attack needs against a
// pass: noThreat if it is none or the defender has won or can win. five says
// that the move completed a five, which a capture can still break.
func (s *Solver) replies(five bool) (need int) {
	b := s.board
	switch {
	case b.Outcome() != game.Undecided:
		return noThreat
	case s.captures:
		return s.captureReplies(five)
	case b.Count(s.defend, pattern.Five) > 0:
		return noThreat
	case b.Count(s.attack, pattern.Five) == 0:
		return s.threeReplies()
	}
	parries, n := s.parries(s.attack)
	for _, p := range parries[:n] {
		if b.Board().AllowedFor(s.defend, int(p)) {
			s.stack = append(s.stack, p)
		}
	}
	return fourWins
}

// parries returns the n cells, 0 to 2 of them, where one stone takes all
// completing cells of side away, side having one or more; whether the other
// side may play there is not asked.
func (s *Solver) parries(side game.Side) (cells [2]game.Move, n int) {
	b := s.board
	fives := b.Cells(side, pattern.Five)
	first := fives.Next(0)
	if !s.rules.OpponentBlocks {
		if b.Count(side, pattern.Five) > 1 {
			return cells, 0
		}
		return [2]game.Move{game.Move(first)}, 1
	}
	for _, p := range [2]int{first, s.spoil(side, first)} {
		if p < 0 {
			break
		}
		stops := true
		for c := fives.Next(first + 1); c >= 0 && stops; c = fives.Next(c + 1) {
			stops = c == p || s.spoil(side, c) == p
		}
		if stops {
			cells[n] = game.Move(p)
			n++
		}
	}
	return cells, n
}

// spoil returns the other cell where a stone keeps side's stone on the
// completing cell c from winning: beyond the second end of the five, the first
// end of which is blocked. It returns -1 if there is none.
func (s *Solver) spoil(side game.Side, c int) int {
	dir := -1
	for d := range len(steps) {
		if s.board.Line(c, side, d) == pattern.FiveLine {
			if dir >= 0 {
				return -1 // no one cell blocks fives in two directions
			}
			dir = d
		}
	}
	step := steps[dir]
	ahead, n := s.walk(side, c, step.dx, step.dy)
	behind, k := s.walk(side, c, -step.dx, -step.dy)
	if n+k+1 != 5 {
		return -1
	}
	switch open, shut := s.end(ahead), s.end(behind); {
	case open == endEmpty && shut == endBlocked:
		return ahead
	case shut == endEmpty && open == endBlocked:
		return behind
	}
	return -1
}

// steps are the directions of lines, as pattern numbers them.
var steps = [4]struct{ dx, dy int }{{1, 0}, {0, 1}, {1, 1}, {-1, 1}}

// walk follows side's stones from c and returns the cell behind the last one,
// -1 beyond the edge, and their number.
func (s *Solver) walk(side game.Side, c, dx, dy int) (end, n int) {
	g := s.board.Board()
	size, own := g.Size(), gomoku.StoneOf(side)
	for x, y := c%size+dx, c/size+dy; ; x, y = x+dx, y+dy {
		if uint(x) >= uint(size) || uint(y) >= uint(size) {
			return -1, n
		}
		if g.At(y*size+x) != own {
			return y*size + x, n
		}
		n++
	}
}

// The ends of a run of stones.
const (
	endEmpty = iota
	endBlocked
	endEdge // an edge that does not block
)

// end says what stands on the cell c behind a run of stones, where the
// opponent's stones block.
func (s *Solver) end(c int) int {
	switch {
	case c >= 0 && s.board.Board().At(c) == gomoku.Empty:
		return endEmpty
	case c >= 0 || s.rules.EdgeBlocks:
		return endBlocked
	}
	return endEdge
}
