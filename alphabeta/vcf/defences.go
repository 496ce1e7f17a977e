package vcf

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Defences appends the moves of the side to move on b, in ascending order, after
// which its opponent is not proven to win by continuous fours. Every legal move
// that is missing was refuted by a search of its own, so that nothing hangs on
// a null move or on a zone: complete reports that the list holds all moves that
// may save the side to move, its own wins and counter-fours among them, and
// that it leaves at least one out. Without a threat of the opponent, complete
// is false and nothing is appended.
//
// Each move is searched with at most nodes moves; a search that runs out of
// them keeps its move in the list. When ctx is done, complete is false.
func (s *Solver) Defences(ctx context.Context, b *pattern.Board, nodes int, buf []game.Move) (moves []game.Move, complete bool) {
	if b.Outcome() != game.Undecided || !s.threatened(b) {
		return buf, false
	}
	mark := len(buf)
	buf = b.Moves(buf)
	kept, all := mark, len(buf)
	for _, m := range buf[mark:] {
		if !s.loses(ctx, b, m, nodes) {
			buf[kept] = m
			kept++
		}
	}
	if ctx.Err() != nil || kept == all {
		return buf[:mark], false
	}
	return buf[:kept], true
}

// threatened reports whether the opponent of the side to move has any stone
// that makes five or four.
func (s *Solver) threatened(b *pattern.Board) bool {
	opp := b.ToMove().Other()
	if b.Board().Rules().Captures || b.Count(opp, pattern.Five)+b.Count(opp, pattern.Suspect) > 0 {
		return true
	}
	for _, class := range fourClasses {
		if b.Count(opp, class) > 0 {
			return true
		}
	}
	return false
}

// loses reports whether the move m is proven to lose to continuous fours.
func (s *Solver) loses(ctx context.Context, b *pattern.Board, m game.Move, nodes int) bool {
	b.Play(m)
	lost := b.Outcome() == game.WinFor(b.ToMove())
	if b.Outcome() == game.Undecided {
		_, o := s.findWin(ctx, b, VCF, nodes)
		s.release()
		lost = o == Win
	}
	b.Undo()
	return lost
}

// DefencesAtOnce appends the legal moves, in ascending order, that do not let the
// opponent of the side to move win at once, and reports whether it threatens
// to: without a threat forced is false and nothing is appended. By the
// arguments of the package comment nothing that is missing saves the side to
// move, which cannot win at once itself. Moves that do not save it may be in
// the list.
func (s *Solver) DefencesAtOnce(b *pattern.Board, buf []game.Move) (moves []game.Move, forced bool) {
	if b.Outcome() != game.Undecided {
		return buf, false
	}
	s.begin(context.Background(), b, VCF, 1<<30)
	s.attack, s.defend = s.defend, s.attack
	need := noThreat
	switch {
	case s.captures:
		need = s.listCaptureDefences(b.Board().Pending())
	case b.Count(s.attack, pattern.Five) > 0:
		need = s.listDefences(false)
	}
	buf = append(buf, s.stack...)
	s.release()
	return buf, need == fourWins
}

// How many moves an attacking move needs to win, itself included, against a
// defender who passes.
const (
	noThreat  = 0
	fourWins  = 2
	threeWins = 3
)

// listDefences puts the replies to the attacking move just played on the stack that
// do not lose at once, and returns how many moves the attack needs against a
// pass: noThreat if it is none or the defender has won or can win. five says
// that the move completed a five, which a capture can still break.
func (s *Solver) listDefences(five bool) (need int) {
	b := s.board
	switch {
	case b.Outcome() != game.Undecided:
		return noThreat
	case s.captures:
		return s.listCaptureDefences(five)
	case b.Count(s.defend, pattern.Five) > 0:
		return noThreat
	case b.Count(s.attack, pattern.Five) == 0:
		return s.threeDefences()
	}
	defences, n := s.fiveDefences(s.attack)
	for _, p := range defences[:n] {
		if b.Board().AllowedFor(s.defend, int(p)) {
			s.stack = append(s.stack, p)
		}
	}
	return fourWins
}

// fiveDefences returns the n cells, 0 to 2 of them, where one stone takes all
// completing cells of side away, side having one or more; whether the other
// side may play there is not asked.
func (s *Solver) fiveDefences(side game.Side) (cells [2]game.Move, n int) {
	b := s.board
	fives := b.Cells(side, pattern.Five)
	first := fives.Next(0)
	if !s.rules.OpponentBlocks {
		if b.Count(side, pattern.Five) > 1 {
			return cells, 0
		}
		return [2]game.Move{game.Move(first)}, 1
	}
	for _, p := range [2]int{first, s.otherDefence(side, first)} {
		if p < 0 {
			break
		}
		stops := true
		for c := fives.Next(first + 1); c >= 0 && stops; c = fives.Next(c + 1) {
			stops = c == p || s.otherDefence(side, c) == p
		}
		if stops {
			cells[n] = game.Move(p)
			n++
		}
	}
	return cells, n
}

// otherDefence returns the other cell where a stone keeps side's stone on the
// completing cell c from winning: beyond the second end of the five, the first
// end of which is blocked. It returns -1 if there is none.
func (s *Solver) otherDefence(side game.Side, c int) int {
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
