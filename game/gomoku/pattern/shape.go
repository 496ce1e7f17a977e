package pattern

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
