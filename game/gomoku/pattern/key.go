package pattern

import "github.com/carozero/carozero/game"

// A line of the board is a word of two bits a cell. Cell k of a line is at bit
// shift(k); reach cells of wall stand before the first cell, and wall fills the
// word behind the last one.
const (
	vacant = uint64(0)
	wall   = uint64(3)
)

// stoneBits returns the two bits of a side's stone.
func stoneBits(s game.Side) uint64 { return 1 + uint64(s) }

// reach is how far from a cell its line pattern may depend on the line: four
// cells to either side where five or more win, and one more where the cells
// next to a five matter.
const reach = 5

// shift returns the bit of position at of a line.
func shift(at uint8) uint { return 2 * (uint(at) + reach) & 63 }

// The key of a cell is its line shifted right by 2*at: the cell and reach cells
// on either side, two bits each, the cell itself at bit 2*reach. The five cells
// of either arm are mapped to the number of their content, which leaves out
// what cannot be: a wall has nothing but wall beyond it.
const (
	armBits  = 2 * reach
	armKeys  = 1 << armBits
	armMask  = armKeys - 1
	ahead    = armBits + 2 // where the arm ahead of the cell begins
	heldMask = wall << armBits
)

// arm is the content of the cells on one side of a cell, nearest first, two
// bits each.
type arm uint16

func (a arm) at(i int) uint64 { return uint64(a) >> (2 * i) & 3 }

func (a arm) with(i int, content uint64) arm {
	return a&^(3<<(2*i)) | arm(content<<(2*i))
}

// reversed returns the arm read from its far end.
func (a arm) reversed() arm {
	r := arm(0)
	for i := range reach {
		r = r.with(reach-1-i, a.at(i))
	}
	return r
}

// swapped returns the arm with the sides' stones exchanged.
func (a arm) swapped() arm {
	for i := range reach {
		if v := a.at(i); v == 1 || v == 2 {
			a = a.with(i, 3-v)
		}
	}
	return a
}

// arms numbers the contents of arms of up to half cells. The cells further out
// are not looked at.
type arms struct {
	half  int
	list  []arm          // by number; the cells from half on are walls
	index [armKeys]int16 // number of each arm, -1 for what cannot be
}

func newArms(half int) *arms {
	a := &arms{half: half}
	for key := range a.index {
		a.index[key] = -1
	}
	for key := range arm(armKeys) {
		n, ok := a.normal(key)
		if !ok {
			continue
		}
		if a.index[n] < 0 {
			a.index[n] = int16(len(a.list))
			a.list = append(a.list, n)
		}
		a.index[key] = a.index[n]
	}
	return a
}

// normal returns key with the cells from half on replaced by walls; false if a
// stone or empty cell stands beyond a wall.
func (a *arms) normal(key arm) (arm, bool) {
	edge := false
	for i := range reach {
		if edge && key.at(i) != wall {
			return 0, false
		}
		edge = key.at(i) == wall
	}
	for i := a.half; i < reach; i++ {
		key = key.with(i, wall)
	}
	return key, true
}
