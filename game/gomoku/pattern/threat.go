package pattern

import (
	"math/bits"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Threats are the points of one side, by the definitions of the network's
// input planes: nn/gomoku has them in full. All three sets may
// overlap and hold only cells that the side may play.
type Threats struct {
	Five     Set // completes a winning run or, under the capture rule, takes the tenth stone
	Four     Set // makes a cell complete a winning run that did not before
	OpenFour Set // leaves completing cells that no one reply takes away
}

// Threats returns the points of side as if it were to move.
func (b *Board) Threats(side game.Side) (t Threats) {
	sets := &b.sets[side]
	if b.counts[side][Five] == 0 {
		t.OpenFour = sets[OpenFour].Or(&sets[DoubleFour])
		t.Four = b.FourCells(side)
		b.addSuspects(side, &t)
	} else {
		t.Five = sets[Five]
		b.judgeThreats(side, &t)
	}
	if b.rules.Captures {
		b.addCaptureFives(side, &t)
	}
	if b.rules.DoubleThree {
		closed := b.Closed(side)
		t.Five, t.Four, t.OpenFour = t.Five.Without(&closed), t.Four.Without(&closed), t.OpenFour.Without(&closed)
	}
	return t
}

// addSuspects adds the fours among the suspects that turn out to be allowed,
// when no five is there. Two fours are forbidden, so that only a straight four
// is an open one.
func (b *Board) addSuspects(side game.Side, t *Threats) {
	if b.counts[side][Suspect] == 0 {
		return
	}
	suspects := &b.sets[side][Suspect]
	for c := suspects.Next(0); c >= 0; c = suspects.Next(c + 1) {
		class := b.strength(c, side)
		if !class.Fours() || !b.board.AllowedFor(side, c) {
			continue
		}
		t.Four.Add(c)
		if class == OpenFour {
			t.OpenFour.Add(c)
		}
	}
}

// judgeThreats finds fours and open fours cell by cell if the side has completing cells
// already: then a cell's four may not be new, and an open four may exist without it.
func (b *Board) judgeThreats(side game.Side, t *Threats) {
	b.now = b.completing(side, b.now)
	judged := b.FourCells(side).Or(&t.Five).Or(&b.sets[side][Suspect])
	for _, v := range b.now {
		for _, end := range v.ends {
			if end != noCell && b.cells[end].class(side) != Occupied {
				judged.Add(int(end))
			}
		}
	}
	judged = judged.Without(&b.sets[side][Forbidden])
	if b.now.lasting() {
		t.OpenFour = b.geo.board.Without(&b.sets[side][Occupied]).Without(&b.sets[side][Forbidden]).Without(&judged)
	}
	for c := judged.Next(0); c >= 0; c = judged.Next(c + 1) {
		if b.cells[c].class(side) == Suspect && !b.board.AllowedFor(side, c) {
			continue
		}
		b.later = b.after(side, c, b.now, b.later)
		if b.later.lasting() {
			t.OpenFour.Add(c)
		}
		for _, v := range b.later {
			if !t.Five.Has(int(v.cell)) {
				t.Four.Add(c)
				break
			}
		}
	}
}

// addCaptureFives adds the cells where side takes its tenth stone.
func (b *Board) addCaptureFives(side game.Side, t *Threats) {
	cells, need := b.CaptureCells(side), gomoku.WinningCaptures-b.board.Captured(side)
	for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
		if b.Takes(side, c) >= need {
			t.Five.Add(c)
		}
	}
}

// FiveDefences returns the empty cells where one stone of side's opponent takes away
// every completing cell that side has: none if side has none, or an open four
// or more. After a simple four it holds the completing cell and, where the five
// would then be blocked at one end already, the cell beyond the other end. It
// is by the lines alone: captures that break the four are not in it, nor is it
// asked whether the opponent may play there.
func (b *Board) FiveDefences(side game.Side) (defences Set) {
	if b.counts[side][Five] == 0 {
		return defences
	}
	if !b.rules.OpponentBlocks { // only the cell itself
		if b.counts[side][Five] == 1 {
			defences = b.sets[side][Five]
		}
		return defences
	}
	b.now = b.completing(side, b.now)
	return b.now.defences()
}

// OpenFourDefences returns the empty cells where one stone of side's opponent removes or
// weakens every cell with which side would now make an open four or two fours. The set is
// empty if no stone does so, and holds all empty cells if side has no such cell. It
// ignores captures and whether the opponent may play there.
func (b *Board) OpenFourDefences(side game.Side) Set {
	left := b.geo.board.Without(&b.sets[side][Occupied])
	b.keepDefences(side, &left, OpenFour, DoubleFour)
	return left
}

// FourThreeDefences is OpenFourDefences against cells with which side would make a four
// and an open three. Unlike an open four, that does not win by itself.
func (b *Board) FourThreeDefences(side game.Side) Set {
	left := b.geo.board.Without(&b.sets[side][Occupied])
	b.keepDefences(side, &left, FourThree)
	return left
}

// keepDefences removes from left the cells that do not take away, or weaken
// below the least of them, every stone of side that makes one of the classes,
// which are given the strongest first.
func (b *Board) keepDefences(side game.Side, left *Set, classes ...Class) {
	for _, class := range classes {
		if b.counts[side][class] == 0 {
			continue
		}
		cells := &b.sets[side][class]
		for w := cells.Next(0); w >= 0; w = cells.Next(w + 1) {
			b.keepAgainst(side, w, classes[len(classes)-1], left)
			if left.Empty() {
				return
			}
		}
	}
}

// keepAgainst removes from left the cells where a stone of side's opponent
// leaves the class of side's stone on w at least or above.
func (b *Board) keepAgainst(side game.Side, w int, least Class, left *Set) {
	var defences Set
	defences.Add(w)
	q, stone := b.cells[w].quad(side), stoneBits(side.Other())
	for d := range directions {
		if q.shape(d) < narrowThree {
			continue
		}
		p, step := &b.geo.place[w][d], b.geo.step[d]
		line := b.lines[p.line]
		from, to := max(int(p.at)-b.table.half, 0), min(int(p.at)+b.table.half, int(p.last))
		for i := from; i <= to; i++ {
			r := w + (i-int(p.at))*step
			if r == w || !left.Has(r) {
				continue
			}
			v := b.table.at((line | stone<<shift(uint8(i))) >> (2 * p.at & 63))
			was := quad(v) >> (4 * side) & 15
			changed := q&^(15<<(4*d)) | was<<(4*d)
			if class := b.table.class[side][changed]; class < least || class > Five {
				defences.Add(r)
			}
		}
	}
	*left = left.And(&defences)
}

// noCell stands for a cell that is not there.
const noCell = -1

// target is a cell where one stone completes a winning run, and by which run. A
// cell that completes runs in several directions is a target in each.
type target struct {
	cell    int16
	defence int16    // the one other cell where the opponent's stone prevents it
	ends    [2]int16 // the cells next to a run of five; noCell beyond the edge and for longer runs
}

// targets is a list of targets; its memory is used again.
type targets []target

// lasting reports whether, after any one stone of the opponent, some target
// is left.
func (l targets) lasting() bool {
	if len(l) < 2 {
		return false
	}
	first := l[0]
	return l.survives(first.cell) && (first.defence == noCell || l.survives(first.defence))
}

// defences returns the cells where one stone of the opponent leaves no target,
// none if there is no target. Such a stone must take the first target away, so
// that two cells at most can be among them.
func (l targets) defences() (cells Set) {
	if len(l) == 0 {
		return cells
	}
	first := l[0]
	if !l.survives(first.cell) {
		cells.Add(int(first.cell))
	}
	if first.defence != noCell && !l.survives(first.defence) {
		cells.Add(int(first.defence))
	}
	return cells
}

// survives reports whether some target is left after the opponent's stone on c.
func (l targets) survives(c int16) bool {
	for _, t := range l {
		if t.cell != c && t.defence != c {
			return true
		}
	}
	return false
}

// segmentAt returns the line through the empty cell c in direction d as side
// sees it, with its stone on c.
func (b *Board) segmentAt(c, d int, side game.Side) segment {
	p := &b.geo.place[c][d]
	key := b.lines[p.line] >> (2 * p.at & 63)
	behind, front := &b.table.split[key&armMask], &b.table.split[key>>ahead&armMask]
	join := func(behind, front uint8) uint32 {
		return uint32(behind)<<(centre-reach) | uint32(front)<<(centre+1)
	}
	own, opp := stoneBits(side), stoneBits(side.Other())
	return segment{
		own:   join(behind[own], front[own]) | 1<<centre,
		opp:   join(behind[opp], front[opp]),
		edge:  join(behind[wall], front[wall]),
		empty: join(behind[vacant], front[vacant]),
	}
}

// newTarget returns the target at bit of the segment s around c in direction
// d, where a stone of side makes the winning run between lo and hi; s holds
// that stone.
func (b *Board) newTarget(r lineRule, s segment, c, d, bit, lo, hi int) target {
	at := func(i int) int16 { return int16(c + (i-centre)*b.geo.step[d]) }
	t := target{cell: at(bit), defence: noCell, ends: [2]int16{noCell, noCell}}
	if i := r.secondEnd(s, lo, hi); i >= 0 {
		t.defence = at(i)
	}
	if hi-lo-1 > 5 {
		return t
	}
	if s.edge>>lo&1 == 0 {
		t.ends[0] = at(lo)
	}
	if s.edge>>hi&1 == 0 {
		t.ends[1] = at(hi)
	}
	return t
}

// completing returns the targets of side, in l's memory: every cell where its
// stone makes a winning run, allowed or not.
func (b *Board) completing(side game.Side, l targets) targets {
	l = l[:0]
	r := newLineRule(&b.rules, side)
	fives := &b.sets[side][Five]
	for c := fives.Next(0); c >= 0; c = fives.Next(c + 1) {
		for d := range directions {
			if b.cells[c].quad(side).line(d) != FiveLine {
				continue
			}
			s := b.segmentAt(c, d, side)
			lo, hi := s.run(centre)
			l = append(l, b.newTarget(r, s, c, d, centre, lo, hi))
		}
	}
	return l
}

// addLinks appends to l the targets in direction d that side gets by a stone on
// the empty cell c and that this stone is part of.
func (b *Board) addLinks(side game.Side, c, d int, l targets) targets {
	r := newLineRule(&b.rules, side)
	s := b.segmentAt(c, d, side)
	// Windows of five with the cell, four stones and an empty cell.
	for low := centre - 4; low <= centre; low++ {
		gap := ^s.own >> low & 31
		if gap&(gap-1) != 0 || gap<<low&s.empty == 0 {
			continue
		}
		bit := low + bits.TrailingZeros32(gap)
		after := s.put(bit)
		if lo, hi := after.run(bit); r.wins(after, lo, hi) {
			l = append(l, b.newTarget(r, after, c, d, bit, lo, hi))
		}
	}
	return l
}

// after returns the targets that side has once its stone stands on the empty
// cell c, in l's memory, given those that it has now.
func (b *Board) after(side game.Side, c int, now, l targets) targets {
	l = l[:0]
	for _, t := range now {
		switch {
		case int(t.cell) == c:
		case int(t.ends[0]) != c && int(t.ends[1]) != c:
			l = append(l, t)
		case !b.rules.Exact[side]: // the run becomes longer than five, which nothing blocks
			l = append(l, target{t.cell, noCell, [2]int16{noCell, noCell}})
		}
	}
	lines := b.cells[c].quad(side)
	for d := range directions {
		if lines.line(d) >= SimpleFour {
			l = b.addLinks(side, c, d, l)
		}
	}
	return l
}
