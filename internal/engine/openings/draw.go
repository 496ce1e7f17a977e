package openings

import (
	"math/rand/v2"

	"github.com/carozero/carozero/game"
)

// Drawer draws random moves. Its results are a function of the position and of
// the random numbers alone. It belongs to one goroutine.
type Drawer struct {
	// Candidates appends to buf the moves to draw from: legal ones, at least one,
	// in an order that is a function of pos and of the moves drawn before. nil draws
	// from all legal moves.
	Candidates func(pos game.Position, drawn, buf []game.Move) []game.Move

	// Refuse, unless it is nil, is called after each move while the game goes on; true
	// rejects the opening.
	Refuse func(pos game.Position) bool

	buf []game.Move
}

// Draw plays so many random moves from pos, which it changes, and appends them to
// drawn. It stops, and returns false, when the game is over or the opening is
// refused.
func (d *Drawer) Draw(pos game.Position, plies int, drawn []game.Move, rng *rand.Rand) ([]game.Move, bool) {
	for range plies {
		if d.buf = d.buf[:0]; d.Candidates != nil {
			d.buf = d.Candidates(pos, drawn, d.buf)
		} else {
			d.buf = pos.Moves(d.buf)
		}
		m := d.buf[rng.IntN(len(d.buf))]
		pos.Play(m)
		drawn = append(drawn, m)
		if pos.Outcome() != game.Undecided || d.Refuse != nil && d.Refuse(pos) {
			return drawn, false
		}
	}
	return drawn, true
}
