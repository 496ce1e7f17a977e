package pattern

// Line is what a stone of one side on an empty cell makes in one direction. The
// package comment defines the values; a stronger one has a greater number, and
// a cell that holds a stone has none.
type Line uint8

// The line patterns. "Missing" counts further stones of the same side.
const (
	Dead         Line = iota // nothing below, or more than two stones are missing
	ClosedTwo                // two stones are missing to a four
	OpenTwo                  // two stones are missing to an open four
	ClosedThree              // one stone is missing to a four
	OpenThree                // one stone is missing to an open four
	SimpleFour               // completing cells, all of which one reply takes away
	StraightFour             // completing cells that no one reply takes away: an open four
	FiveLine                 // the stone completes a winning run
	Foul                     // renju: an overline or two fours in this line

	Lines // their number
)

var lineNames = [Lines]string{
	"dead", "closed two", "open two", "closed three", "open three",
	"simple four", "straight four", "five", "foul",
}

// String returns the name in words.
func (l Line) String() string { return lineNames[l] }

// Fours reports whether the stone leaves cells that complete a winning run.
func (l Line) Fours() bool { return l == SimpleFour || l == StraightFour }
