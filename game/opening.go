package game

import (
	"math"
	"math/rand/v2"
)

// Drawer draws the random moves of an opening. Its results are a function of the position and of
// the random numbers alone. It belongs to one goroutine.
type Drawer struct {
	// Candidates appends to buf the moves to draw from: legal ones, at least one,
	// in an order that is a function of pos and of the moves drawn before. nil draws
	// from all legal moves.
	Candidates func(pos Position, drawn, buf []Move) []Move

	// Refuse, unless it is nil, is called after each move while the game goes on; true
	// rejects the opening.
	Refuse func(pos Position) bool

	buf []Move
}

// Draw plays so many random moves from pos, which it changes, and appends them to
// drawn. It stops, and returns false, when the game is over or the opening is
// refused.
func (d *Drawer) Draw(pos Position, plies int, drawn []Move, rng *rand.Rand) ([]Move, bool) {
	for range plies {
		if d.buf = d.buf[:0]; d.Candidates != nil {
			d.buf = d.Candidates(pos, drawn, d.buf)
		} else {
			d.buf = pos.Moves(d.buf)
		}
		m := d.buf[rng.IntN(len(d.buf))]
		pos.Play(m)
		drawn = append(drawn, m)
		if pos.Outcome() != Undecided || d.Refuse != nil && d.Refuse(pos) {
			return drawn, false
		}
	}
	return drawn, true
}

// Near tells the moves near the stones, on a board whose moves are its cells,
// numbered row by row.
type Near struct {
	Columns  int // of the board
	Distance int // in columns and in rows

	// Centre is where the first stone goes, as twice the column and twice the row, so that
	// the middle of a board of even width can be given.
	Centre [2]int
}

// NearOnSquare returns a Near for a square board, whose centre is the cell in the middle
// or, where the size is even, the one after it.
func NearOnSquare(size, distance int) Near {
	return Near{Columns: size, Distance: distance, Centre: [2]int{size &^ 1, size &^ 1}}
}

// Moves appends to buf the legal moves near one of the stones or, if there is
// none, near the centre; all legal moves if none of them is near.
func (n Near) Moves(pos Position, stones, buf []Move) []Move {
	start := len(buf)
	all := pos.Moves(buf)
	kept := all[:start]
	for _, m := range all[start:] {
		if n.has(int(m), stones) {
			kept = append(kept, m)
		}
	}
	if len(kept) == start {
		return all
	}
	return kept
}

// has reports whether a cell is near one of the stones or, if there is none, near
// the centre.
func (n Near) has(cell int, stones []Move) bool {
	x, y := 2*(cell%n.Columns), 2*(cell/n.Columns)
	if len(stones) == 0 {
		return n.within(x-n.Centre[0], y-n.Centre[1])
	}
	for _, m := range stones {
		if n.within(x-2*(int(m)%n.Columns), y-2*(int(m)/n.Columns)) {
			return true
		}
	}
	return false
}

// within takes twice the differences of column and row.
func (n Near) within(dx, dy int) bool { return max(dx, -dx, dy, -dy) <= 2*n.Distance }

// Balanced chooses among openings: the first whose value is within Tolerance
// of 0, or after Tries of them the one nearest to 0 (the first of equal ones).
// The caller draws the openings and evaluates them, when it likes. The zero
// value works once the two exported fields are set.
type Balanced struct {
	Tolerance float64
	Tries     int

	tries    int
	moves    []Move  // the most balanced so far
	distance float64 // of its value from 0
	found    bool    // there is one
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
func (b *Balanced) Judge(moves []Move, value float64) {
	distance := math.Abs(value)
	if b.found && distance >= b.distance || math.IsNaN(distance) {
		return
	}
	b.moves, b.distance, b.found = append(b.moves[:0], moves...), distance, true
}

// Opening returns the best opening so far, which is valid until the next Reset
// or Judge, or false if there is none.
func (b *Balanced) Opening() (moves []Move, found bool) { return b.moves, b.found }
