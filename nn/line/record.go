package line

import "github.com/carozero/carozero/game/gomoku/pattern"

// lines keeps the lines of all cells, by direction.
type lines [pattern.Directions]track

// track keeps the lines of one direction as First sees them, by slot. Slots number the
// cells so that those of a line are consecutive, with reach unused slots between two
// lines.
type track struct {
	behind, ahead [maxSlots]uint32 // numbers of the arms
	middle        [maxSlots]uint32 // the content in the middle times pairCount
	rows          [maxSlots]uint32 // offset of the line's row in packed.rows
}

// maxSlots has room for the slots of any board size, and for what kernels read beyond.
const maxSlots = maxCells + 2*(maxSize+1)*reach + lanes

// record is the change of one cell's content with the former values, to undo it. The
// former sums of the cells are in Accumulator.spotsWere.
type record struct {
	was, now [pattern.Directions * lanes]uint32 // rows of its windows
	codesNow [mostSpots]codeRows
	codesWas [mostSpots]codeRows
	at       cellChange
	steps    int // records since the accumulator was last up to date, with this one
}

// codeRows are the offsets of the rows of a cell's two codes in packed.rows, First's
// counted from First's first code, Second's from Second's.
type codeRows [2]uint32

// cellChange is a change of a cell's content, as First sees it.
type cellChange struct{ cell, was, now int }

// turn is by how much the numbers of the lines in a window change when the content in its
// middle changes.
type turn struct{ ahead, behind, middle [lanes]uint32 }

// turns holds the turn for each difference of contents, from -2 on.
var turns = func() (all [2*contents - 1]turn) {
	for i := range all {
		t, by := &all[i], uint32(i)-(contents-1)
		for far, power := range powers {
			t.ahead[reach-1-far], t.behind[reach+1+far] = by*power, by*power
		}
		t.middle[reach] = by * pairCount
	}
	return all
}()

// turn returns what the lines change by.
func (c cellChange) turn() *turn { return &turns[c.now-c.was+contents-1] }

// back returns the change that undoes c.
func (c cellChange) back() cellChange { return cellChange{c.cell, c.now, c.was} }

// remembered is how many records an accumulator keeps, a power of two.
const remembered = 64

// goesBack reports whether the position before the last step is at least as close to the
// board as the one after it.
func (a *Accumulator) goesBack() bool {
	if a.top == a.bottom {
		return false
	}
	steps := a.record(a.top - 1).steps
	if a.top-steps < a.bottom {
		return false
	}
	b, nearer := a.board.Board(), 0
	for i := a.top - steps; i < a.top; i++ {
		at := a.record(i).at
		switch int(b.At(at.cell)) {
		case at.was:
			nearer++
		case at.now:
			nearer--
		}
	}
	return nearer >= 0
}

func (a *Accumulator) record(i int) *record { return &a.records[i&(remembered-1)] }

// spotsOf returns the former values of acc at the spots of a record.
func (a *Accumulator) spotsOf(i int) []int16 {
	room := mostSpots * int(a.rowLen)
	return a.spotsWere[i&(remembered-1)*room:][:room]
}

// take makes a step the last one.
func (a *Accumulator) take(step int) {
	room := regions * int(a.rowLen)
	a.step, a.sums = step, a.sumsOf[step&(remembered-1)*room:][:room]
}

// takeBack undoes the records of the last step.
func (a *Accumulator) takeBack() {
	first := a.top - a.record(a.top-1).steps
	for ; a.top > first; a.top-- {
		last := a.top - 1
		r := a.record(last)
		around := &a.geo.neighbourhoods[r.at.cell]
		a.kernels.turnBack(&a.lines, &around.starts, r.at.back().turn(), r)
		a.kernels.restore(a.net.channels, a.acc, a.spotsOf(last), &a.codeRows, around, r)
		a.stand(r.at.back())
	}
	a.take(a.step - 1)
}
