package pattern

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
