package openings

import (
	"math"

	"github.com/carozero/carozero/game"
)

// Balanced chooses among openings: the first whose value is within Tolerance
// of 0, or after Tries of them the one nearest to 0 (the first of equal ones).
// The caller draws the openings and evaluates them, when it likes. The zero
// value works once the two exported fields are set.
type Balanced struct {
	Tolerance float64
	Tries     int

	tries    int
	moves    []game.Move // the most balanced so far
	distance float64     // of its value from 0
	found    bool        // there is one
}

// Reset begins a new choice.
func (b *Balanced) Reset() {
	b.tries, b.moves, b.found = 0, b.moves[:0], false
}

// Next begins a try and returns its number from 0, or false if the choice is
// made.
func (b *Balanced) Next() (try int, more bool) {
	if b.tries >= b.Tries || b.found && b.distance <= b.Tolerance {
		return b.tries, false
	}
	b.tries++
	return b.tries - 1, true
}

// Judge takes the opening of this try and its value, for either side; moves is
// copied. Skip it for a try whose opening is unusable.
func (b *Balanced) Judge(moves []game.Move, value float64) {
	distance := math.Abs(value)
	if b.found && distance >= b.distance || math.IsNaN(distance) {
		return
	}
	b.moves, b.distance, b.found = append(b.moves[:0], moves...), distance, true
}

// Opening returns the best opening so far, which is valid until the next Reset
// or Judge, or false if there is none.
func (b *Balanced) Opening() (moves []game.Move, found bool) { return b.moves, b.found }
