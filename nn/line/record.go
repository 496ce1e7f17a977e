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

// maxSlots has room for the widest line of nobody and for what kernels touch behind.
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
