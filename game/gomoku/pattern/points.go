package pattern

import (
	"math/bits"

	"github.com/carozero/carozero/game"
)

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
			if b.cells[c].lines[side].line(d) != FiveLine {
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
	lines := b.cells[c].lines[side]
	for d := range directions {
		if lines.line(d) >= SimpleFour {
			l = b.addLinks(side, c, d, l)
		}
	}
	return l
}
