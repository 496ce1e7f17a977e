package openings

import (
	"math"

	"github.com/carozero/carozero/game"
)

// Balanced chooses among openings: the first whose value is within Tolerance of
// 0, and after Tries of them the one nearest to 0, of equal ones the first. It
// draws no opening and asks nobody for a value, so that it serves callers who
// wait for values as well as those who have something else to do until then.
// Its zero value but for the two fields is ready for use.
type Balanced struct {
	Tolerance float64
	Tries     int

	tries    int
	moves    []game.Move // the most balanced so far
	distance float64     // of its value from 0
	found    bool        // there is one
}

// Reset begins another choice.
func (b *Balanced) Reset() {
	b.tries, b.moves, b.found = 0, b.moves[:0], false
}

// Next begins a try and returns its number, from 0 on, or false if the choice is
// made.
func (b *Balanced) Next() (try int, more bool) {
	if b.tries >= b.Tries || b.found && b.distance <= b.Tolerance {
		return b.tries, false
	}
	b.tries++
	return b.tries - 1, true
}

// Judge takes the opening of the try and its value, to either side. A try whose
// opening is of no use goes without. It keeps a copy of moves.
func (b *Balanced) Judge(moves []game.Move, value float64) {
	distance := math.Abs(value)
	if b.found && distance >= b.distance || math.IsNaN(distance) {
		return
	}
	b.moves, b.distance, b.found = append(b.moves[:0], moves...), distance, true
}

// Opening returns the choice so far, which is valid until the next Reset or
// Judge, or false if no opening was of use.
func (b *Balanced) Opening() (moves []game.Move, found bool) { return b.moves, b.found }
