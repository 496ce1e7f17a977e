package pattern

import "github.com/carozero/carozero/game"

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
	q, stone := b.cells[w].lines[side], stoneBits(side.Other())
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
