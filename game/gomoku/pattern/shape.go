package pattern

import (
	"slices"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Class is what a stone of one side on an empty cell makes in all directions
// together. A stronger one has a greater number, but for Suspect, Forbidden and
// Occupied, which are beside the order.
type Class uint8

// The classes. Each names the best that holds; see combine.
const (
	Nothing     Class = iota
	HalfTwo           // a closed two
	Two               // an open two
	DoubleTwo         // open twos in two directions
	HalfThree         // a closed three
	StrongThree       // a closed three with an open two or another closed three
	Three             // an open three
	DoubleThree       // open threes in two directions
	Four              // a simple four
	FourThree         // a simple four and an open three
	DoubleFour        // simple fours in two directions
	OpenFour          // an open four in one direction
	Five              // a winning run
	Suspect           // renju: two open threes, still to be judged; see Board.Class
	Forbidden         // renju: an overline or two fours, and no five
	Occupied          // the cell holds a stone

	Classes // their number
)

var classNames = [Classes]string{
	"nothing", "half two", "two", "double two", "half three", "strong three",
	"three", "double three", "four", "four and three", "double four", "open four",
	"five", "suspect", "forbidden", "occupied",
}

// String returns the name in words.
func (c Class) String() string { return classNames[c] }

// Fours reports whether the stone leaves cells that complete a winning run and
// is no five itself: Four, FourThree, DoubleFour or OpenFour.
func (c Class) Fours() bool { return c >= Four && c <= OpenFour }

// quad holds the shapes of one side at a cell, four bits a direction, direction
// 0 lowest.
type quad uint16

func (q quad) shape(d int) shape { return shape(q >> (4 * d) & 15) }

func (q quad) line(d int) Line { return lineOf[q.shape(d)] }

// combine returns the class of four shapes, whatever their order.
func combine(q quad, restricted bool) Class {
	var n [16]int
	for d := range directions {
		n[q.line(d)]++
	}
	fours, threes := n[SimpleFour]+n[StraightFour], n[OpenThree]
	switch {
	case n[FiveLine] > 0:
		return Five
	case restricted && (n[Foul] > 0 || fours > 1):
		return Forbidden
	case restricted && threes > 1:
		return Suspect
	}
	return strength(n)
}

// strength returns the class of a cell that makes no five, from the number of
// its directions of each pattern; restrictions are not looked at.
func strength(n [16]int) Class {
	switch {
	case n[StraightFour] > 0:
		return OpenFour
	case n[SimpleFour] > 1:
		return DoubleFour
	case n[SimpleFour] > 0 && n[OpenThree] > 0:
		return FourThree
	case n[SimpleFour] > 0:
		return Four
	case n[OpenThree] > 1:
		return DoubleThree
	case n[OpenThree] > 0:
		return Three
	case n[ClosedThree] > 1, n[ClosedThree] > 0 && n[OpenTwo] > 0:
		return StrongThree
	case n[ClosedThree] > 0:
		return HalfThree
	case n[OpenTwo] > 1:
		return DoubleTwo
	case n[OpenTwo] > 0:
		return Two
	case n[ClosedTwo] > 0:
		return HalfTwo
	}
	return Nothing
}

// combination holds the class of every quad.
type combination [1 << 16]Class

func newCombination(restricted bool) *combination {
	var c combination
	var fill func(q quad, d int)
	fill = func(q quad, d int) {
		if d == directions {
			c[q] = combine(q, restricted)
			return
		}
		for l := range shapes {
			fill(q|quad(l)<<(4*d), d+1)
		}
	}
	fill(0, 0)
	return &c
}

// A shape is a [Line] told apart more finely, as the evaluation of a search
// wants it: what is Dead to a Line may still be the first stone of five, and
// an open two or three is worth the more the more ways there are to go on. A
// quad holds shapes; it fits because there are no more than sixteen.
type shape uint8

const (
	void         shape = iota // more than three stones are missing to a four
	closedOne                 // three stones are missing to a four
	openOne                   // three stones are missing to an open four
	closedTwo                 // ClosedTwo
	narrowTwo                 // OpenTwo with one or two cells that make it an OpenThree
	openTwo                   // OpenTwo with three of them
	wideTwo                   // OpenTwo with more
	closedThree               // ClosedThree
	narrowThree               // OpenThree with one cell that makes it a StraightFour
	wideThree                 // OpenThree with more
	simpleFour                // SimpleFour
	straightFour              // StraightFour
	fiveShape                 // FiveLine
	foulShape                 // Foul
	shapes                    // their number
)

// lineOf is the Line of each shape, padded so that an index can be masked.
var lineOf = [16]Line{
	closedTwo: ClosedTwo, narrowTwo: OpenTwo, openTwo: OpenTwo, wideTwo: OpenTwo,
	closedThree: ClosedThree, narrowThree: OpenThree, wideThree: OpenThree,
	simpleFour: SimpleFour, straightFour: StraightFour, fiveShape: FiveLine, foulShape: Foul,
}

// shape returns the shape of a line that is that far from fours and no five.
func (d distance) shape() shape {
	switch {
	case d.open == 0:
		return straightFour
	case d.four == 0:
		return simpleFour
	case d.open == 1:
		if d.ways == 1 {
			return narrowThree
		}
		return wideThree
	case d.four == 1:
		return closedThree
	case d.open == 2:
		return [...]shape{narrowTwo, openTwo, wideTwo}[min(max(d.ways, 2), 4)-2]
	case d.four == 2:
		return closedTwo
	case d.open == 3:
		return openOne
	case d.four == 3:
		return closedOne
	}
	return void
}

// Shapes tells the shapes of lines under one rule set. It never changes and may be
// shared.
type Shapes struct{ table *table }

// ShapesOf returns the shapes of a rule set.
func ShapesOf(r gomoku.Rules) Shapes { return Shapes{tables.tableFor(&r)} }

// At returns the numbers, below Numbers, of the shapes that a stone of First and one
// of Second make on the empty cell in the middle of a line, given by a key as
// Window has it.
func (s Shapes) At(key uint64) (first, second uint8) {
	v := s.table.at(key)
	return uint8(v & 15), uint8(v >> 4)
}

// Values gives a worth to every empty cell by the shapes of its four lines, in
// two phases of the game, for either side, and another one to the side to move
// by the classes that both sides have there. Values never change once they are
// made and may be shared.
type Values struct {
	of   [2]*[1 << 16]value
	pair [1 << 8]pairWorth // by pairOf; zero where a stone stands
}

// value packs the worth in the two phases: the early one in the low half.
type value uint32

func (v value) early() int32 { return int32(int16(v)) }
func (v value) late() int32  { return int32(v) >> 16 }

// Worth is a sum of values in both phases.
type Worth struct{ Early, Late int32 }

func (w *Worth) add(v value) { w.Early += v.early(); w.Late += v.late() }
func (w *Worth) sub(v value) { w.Early -= v.early(); w.Late -= v.late() }

// pairWorth is the worth of a cell, by the classes of both sides, to each side if
// it is to move, or a sum of such: Early + Late<<32, so that one addition serves
// both phases.
type pairWorth [2]int64

func packed(early, late int16) int64 { return int64(early) + int64(late)<<32 }

func unpacked(sum int64) Worth {
	early := int32(sum)
	return Worth{early, int32((sum - int64(early)) >> 32)}
}

// pairOf is the index of the classes that both sides have at a cell.
func pairOf(first, second Class) uint8 { return uint8(first | second<<4) }

// pair is pairOf for the classes of a state.
func (s State) pair() uint8 { return pairOf(s.class(game.First), s.class(game.Second)) }

// NewValues tabulates a worth by side and code; see [Board.Code]. Pair is that
// to the side to move by its class and the opponent's; see [Board.LineClass].
// Nil stands for none.
func NewValues(worth func(side game.Side, code int) (early, late int16),
	pair func(own, opp Class) (early, late int16)) *Values {
	v := new(Values)
	for side := range v.of {
		var byCode [Codes]value
		for code := range byCode {
			early, late := worth(game.Side(side), code)
			byCode[code] = value(uint16(early)) | value(uint16(late))<<16
		}
		v.of[side] = new([1 << 16]value)
		for q, code := range codes() {
			v.of[side][q] = byCode[code]
		}
		v.of[side][NoQuad] = 0
	}
	for first := range Occupied {
		for second := range Occupied {
			if pair != nil {
				v.pair[pairOf(first, second)] = pairWorth{packed(pair(first, second)), packed(pair(second, first))}
			}
		}
	}
	return v
}

// Of returns the worth to side of the shapes that it has on the empty cell c.
func (v *Values) Of(b *Board, side game.Side, c int) Worth {
	w := v.of[side][b.cells[c].quad(side)]
	return Worth{w.early(), w.late()}
}

// SetValues makes b keep the sums of v up to date, which Worth and PairWorth return. With
// nil, the default, it keeps none and is a little faster. It must not be called between
// Play and Undo.
func (b *Board) SetValues(v *Values) {
	b.values = v
	b.worth, b.pairs = Worth{}, pairWorth{}
	if v == nil {
		return
	}
	for c := range b.geo.cells {
		b.count(b.cells[c])
		b.countPair(emptyCell(c).occupied(), b.cells[c])
	}
}

// PauseValues makes b stop updating the sums, which makes it faster, until ResumeValues.
// Moves played between the two calls must be undone between them.
func (b *Board) PauseValues() { b.paused, b.values = b.values, nil }

// ResumeValues makes b update the sums again after PauseValues.
func (b *Board) ResumeValues() { b.values = b.paused }

// Worth returns the sum over the empty cells of what each is worth to First
// less what it is worth to Second.
func (b *Board) Worth() Worth { return b.worth }

// PairWorth returns the sum over the empty cells of what each is worth to the side
// to move by the classes of both sides.
func (b *Board) PairWorth() Worth { return unpacked(b.pairs[b.board.ToMove()]) }

// count adds the values of a cell to the sum, and discount takes them off.
func (b *Board) count(state State) {
	b.worth.add(b.values.of[game.First][state.quad(game.First)])
	b.worth.sub(b.values.of[game.Second][state.quad(game.Second)])
}

func (b *Board) discount(state State) {
	b.worth.sub(b.values.of[game.First][state.quad(game.First)])
	b.worth.add(b.values.of[game.Second][state.quad(game.Second)])
}

// countPair takes a cell from its classes in one state to those in another.
func (b *Board) countPair(from, to State) {
	was, now := &b.values.pair[from.pair()], &b.values.pair[to.pair()]
	b.pairs[0] += now[0] - was[0]
	b.pairs[1] += now[1] - was[1]
}

// Codes is the number of ways to choose the four shapes of a cell, whatever
// their order: the multisets of four out of fourteen.
const Codes = (int(shapes) + 3) * (int(shapes) + 2) * (int(shapes) + 1) * int(shapes) / 24

// codes holds the number of every quad, 0..Codes-1; 0 is a cell of which all
// lines are void. Quads that cannot be have 0 too.
var codes = sync.OnceValue(func() *[1 << 16]uint16 {
	all := new([1 << 16]uint16)
	next := uint16(0)
	for a := range shapes {
		for b := range a + 1 {
			for c := range b + 1 {
				for d := range c + 1 {
					eachOrder([directions]shape{a, b, c, d}, func(q quad) { all[q] = next })
					next++
				}
			}
		}
	}
	return all
})

// eachOrder calls f for the quads of four shapes in every order.
func eachOrder(of [directions]shape, f func(quad)) {
	for i := range directions {
		for j := range directions {
			for k := range directions {
				if l := 6 - i - j - k; i != j && i != k && j != k {
					f(quad(of[i]) | quad(of[j])<<4 | quad(of[k])<<8 | quad(of[l])<<12)
				}
			}
		}
	}
}

// Code returns the number of the combination of shapes that a stone of side
// makes on the empty cell c. The lines of a Class are found again by Lines.
func (b *Board) Code(c int, side game.Side) int { return int(codes()[b.cells[c].quad(side)]) }

// Shape is one line of a combination, told apart more finely than a Line.
type Shape struct {
	Line  Line
	Stage int // among the shapes of that Line, the least promising first
}

// CodeShapes returns the four shapes of every code, the strongest first.
func CodeShapes() [][4]Shape {
	named := [shapes]Shape{}
	for s := range shapes {
		named[s].Line = lineOf[s]
		if s > 0 && lineOf[s] == lineOf[s-1] {
			named[s].Stage = named[s-1].Stage + 1
		}
	}
	list := make([][4]Shape, 0, Codes)
	for a := range shapes {
		for b := range a + 1 {
			for c := range b + 1 {
				for d := range c + 1 {
					list = append(list, [4]Shape{named[a], named[b], named[c], named[d]})
				}
			}
		}
	}
	return slices.Clip(list)
}

// CodeClass returns the class of four shapes, with no restrictions looked at.
func CodeClass(lines [4]Shape) Class {
	var n [16]int
	for _, s := range lines {
		n[s.Line]++
	}
	if n[FiveLine] > 0 {
		return Five
	}
	return strength(n)
}

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
