package line

import "github.com/carozero/carozero/game/gomoku/pattern"

// lines keeps the lines of all cells, by direction.
type lines [pattern.Directions]track

// track keeps the lines of a direction as First sees them, by slots. Slots number
// the cells in such an order that those of a line follow each other, with reach
// slots of nobody between two lines.
type track struct {
	behind, ahead [maxSlots]uint32 // numbers of the arms
	middle        [maxSlots]uint32 // the content in the middle times pairCount
	rows          [maxSlots]uint32 // where the row of the line begins in packed.rows
}

// maxSlots has room for the slots of any size, and for what kernels touch behind.
const maxSlots = maxCells + 2*(maxSize+1)*reach + lanes

// record is what another content of a cell changed, so that it can be taken back.
// The sums of the cells are beside it.
type record struct {
	was, now [pattern.Directions * lanes]uint32 // rows of its windows
	codesNow [mostSpots]codeRows
	codesWas [mostSpots]codeRows
	at       cellChange
	steps    int // records since the accumulator was last up to date, with this one
}

// codeRows are where the rows of a cell's codes are in packed.rows: that of First
// from the first code of First on, that of Second from the first of Second's.
type codeRows [2]uint32

// cellChange is another content of a cell, as First sees it.
type cellChange struct{ cell, was, now int }

// turn is what the numbers of the lines in a window change by, where the content
// in its middle does.
type turn struct{ ahead, behind, middle [lanes]uint32 }

// turns are those by the difference of the contents, from -2 on.
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

// back returns the change that takes c back.
func (c cellChange) back() cellChange { return cellChange{c.cell, c.now, c.was} }

// remembered is how many records an accumulator keeps, a power of two.
const remembered = 64

// goesBack reports whether the position before the last step is not farther from
// the board than the one after it.
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

// spotsOf returns what acc was at the spots of a record.
func (a *Accumulator) spotsOf(i int) []int16 {
	room := mostSpots * int(a.rowLen)
	return a.spotsWere[i&(remembered-1)*room:][:room]
}

// take makes a step the last one.
func (a *Accumulator) take(step int) {
	room := regions * int(a.rowLen)
	a.step, a.sums = step, a.sumsOf[step&(remembered-1)*room:][:room]
}

// takeBack takes the records of the last step back.
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
