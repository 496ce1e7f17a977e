package pattern

import (
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
