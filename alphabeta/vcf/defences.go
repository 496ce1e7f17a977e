package vcf

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

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

// A step leads to a neighbouring cell.
type step struct{ dx, dy int }

// steps are the directions of lines, as pattern numbers them, and rays those with their
// opposites.
var (
	steps = [4]step{{1, 0}, {0, 1}, {1, 1}, {-1, 1}}
	rays  = [8]step{{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {-1, 0}, {0, -1}, {-1, -1}, {1, -1}}
)

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

// captureCandidates puts every legal move on the stack that may be a four where
// captures count. A move that leaves the attacker a winning one completes a run
// of four, or captures and so empties a cell, or prepares the capture of the
// tenth stone, or protects a five that could be broken before: if there is a
// completing cell already, any move may do that.
func (s *Solver) captureCandidates() {
	b := s.board
	from := len(s.stack)
	if b.Count(s.attack, pattern.Five) > 0 {
		cells := s.zones.all.Without(b.Stones())
		s.pushSet(&cells)
	} else {
		for _, class := range fourClasses {
			s.push(s.attack, class)
		}
		cells := b.CaptureCells(s.attack)
		s.addFlanks(&cells)
		fours := b.FourCells(s.attack)
		cells = cells.Without(&fours)
		s.pushSet(&cells)
		if s.kind != VCF {
			s.pushThreesBeside(&cells)
		}
	}
	s.keepAllowed(s.attack, from)
}

// pushThreesBeside puts the cells of the classes of threes on the stack that are
// not in the set.
func (s *Solver) pushThreesBeside(listed *pattern.Set) {
	for _, class := range threeClasses {
		if s.board.Count(s.attack, class) > 0 {
			cells := s.board.Cells(s.attack, class).Without(listed)
			s.pushSet(&cells)
		}
	}
}

// addFlanks adds the cells where the attacker's stone flanks a pair so that its
// next stone, at the other end, would take the tenth.
func (s *Solver) addFlanks(cells *pattern.Set) {
	b := s.board
	need := gomoku.WinningCaptures - b.Board().Captured(s.attack)
	near := b.Candidates()
	for c := near.Next(0); c >= 0; c = near.Next(c + 1) {
		for _, ray := range rays {
			e := s.flank(c, ray.dx, ray.dy, s.defend, -1)
			if e >= 0 && b.Board().At(e) == gomoku.Empty && b.Takes(s.attack, e)+2 >= need {
				cells.Add(c)
			}
		}
	}
}

// flank returns the cell at the other end of a pair of side's stones that
// starts next to c, -1 if there is no such pair or cell. The cell extra counts
// as a stone of side.
func (s *Solver) flank(c, dx, dy int, side game.Side, extra int) int {
	g := s.board.Board()
	size := g.Size()
	x, y := c%size+3*dx, c/size+3*dy
	if uint(x) >= uint(size) || uint(y) >= uint(size) {
		return -1
	}
	step := dy*size + dx
	one, two, end := c+step, c+2*step, c+3*step
	own := gomoku.StoneOf(side)
	if one != extra && g.At(one) != own || two != extra && g.At(two) != own || end == extra {
		return -1
	}
	return end
}

// listCaptureDefences does the work of listDefences where captures count.
func (s *Solver) listCaptureDefences(five bool) (need int) {
	b := s.board
	from := len(s.stack)
	if five {
		taking := b.CaptureCells(s.defend)
		s.pushSet(&taking)
		s.keepAllowed(s.defend, from)
		return fourWins
	}
	s.stack = b.Board().AppendWinsFor(s.attack, s.stack)
	end := len(s.stack)
	for i := from; i < end; i++ {
		w := s.stack[i]
		real := s.threatens(w)
		if s.stopped {
			break
		}
		if real {
			zone := s.zone(int(w)).Without(b.Stones())
			s.stack = s.stack[:from]
			s.pushSet(&zone)
			s.keepAllowed(s.defend, from)
			return fourWins
		}
	}
	s.stack = s.stack[:from]
	return noThreat
}

// zone returns the cells where a reply may change whether the attacker's stone
// on w wins: w itself; captures, which take stones off; the defender's fives;
// and the cells that flank a pair of the attacker, w counted as its stone, so
// that the capture at the other end would break the five or take the tenth
// stone; and the cells where the reply makes a pair that w takes, which opens cells
// to the defender. Any other stone takes away no capture that does so and adds
// none, and can only make a move on w more legal. The cells where a capture could break
// the five once w is there are in the zone too: a stone there never helps the
// defender, but it is no pass either.
func (s *Solver) zone(w int) pattern.Set {
	b := s.board
	zone := b.CaptureCells(s.defend)
	most := 0
	for c := zone.Next(0); c >= 0; c = zone.Next(c + 1) {
		most = max(most, b.Takes(s.defend, c))
	}
	zone = zone.Or(b.Cells(s.defend, pattern.Five))
	zone.Add(w)
	s.addBreaks(w, &zone)
	s.addTaken(w, &zone)
	// A flanking stone adds a pair to what a capture takes, and w at most one,
	// since it is on one line with that capture.
	if need := gomoku.WinningCaptures - b.Board().Captured(s.defend); need <= most+2+2 {
		s.addTenth(w, need, &zone)
	}
	return zone
}

// addBreaks adds the cells at the ends of the pairs that hold a stone of the
// runs that w completes, where neither end is a stone of the attacker.
func (s *Solver) addBreaks(w int, zone *pattern.Set) {
	five := s.fiveThrough(w)
	size := s.zones.size
	for t := five.Next(0); t >= 0; t = five.Next(t + 1) {
		for _, ray := range rays {
			x, y := t%size-ray.dx, t/size-ray.dy
			if uint(x) >= uint(size) || uint(y) >= uint(size) {
				continue
			}
			c := y*size + x
			end := s.flank(c, ray.dx, ray.dy, s.attack, w)
			if end >= 0 && !s.attacks(c, w) && !s.attacks(end, w) {
				zone.Add(c)
				zone.Add(end)
			}
		}
	}
}

// addTaken adds the cells where a stone of the defender makes a pair with another
// one, between w and a stone of the attacker.
func (s *Solver) addTaken(w int, zone *pattern.Set) {
	b, size := s.board.Board(), s.zones.size
	for _, ray := range rays {
		x, y := w%size+3*ray.dx, w/size+3*ray.dy
		if uint(x) >= uint(size) || uint(y) >= uint(size) || b.At(y*size+x) != gomoku.StoneOf(s.attack) {
			continue
		}
		next := ray.dy*size + ray.dx
		one, two := w+next, w+2*next
		switch own := gomoku.StoneOf(s.defend); {
		case b.At(one) == own && b.At(two) == gomoku.Empty:
			zone.Add(two)
		case b.At(two) == own && b.At(one) == gomoku.Empty:
			zone.Add(one)
		}
	}
}

// attacks reports whether the attacker has a stone on c once it has played w.
func (s *Solver) attacks(c, w int) bool {
	return c == w || s.board.Board().At(c) == gomoku.StoneOf(s.attack)
}

// addTenth adds the cells that flank any pair so that the capture at its other
// end could take the tenth stone, of which need are missing.
func (s *Solver) addTenth(w, need int, zone *pattern.Set) {
	b := s.board
	near := b.Candidates()
	near = near.Or(&s.zones.of[w])
	near = near.Without(b.Stones())
	for c := near.Next(0); c >= 0; c = near.Next(c + 1) {
		for _, ray := range rays {
			end := s.flank(c, ray.dx, ray.dy, s.attack, w)
			switch {
			case end < 0, s.attacks(end, w):
			case b.Board().At(end) != gomoku.Empty, b.Takes(s.defend, end)+2+2 >= need:
				zone.Add(c)
			}
		}
	}
}

// fiveThrough returns the stones of the runs of five or more that the
// attacker's stone on w completes, w included.
func (s *Solver) fiveThrough(w int) (stones pattern.Set) {
	for d, step := range steps {
		if s.board.Line(w, s.attack, d) != pattern.FiveLine {
			continue
		}
		_, ahead := s.walk(s.attack, w, step.dx, step.dy)
		_, behind := s.walk(s.attack, w, -step.dx, -step.dy)
		for k := -behind; k <= ahead; k++ {
			stones.Add(w + k*(step.dy*s.zones.size+step.dx))
		}
	}
	return stones
}

// threatens reports whether the attacker's stone on w wins if the defender
// passes. A stone of the defender somewhere out of the way would be no pass: w
// could capture it.
func (s *Solver) threatens(w game.Move) (wins bool) {
	b := s.board
	b.Pass()
	if b.Legal(w) && s.play(w) {
		wins = b.Outcome() == game.WinFor(s.attack)
		b.Undo()
	}
	b.Pass()
	return wins
}
