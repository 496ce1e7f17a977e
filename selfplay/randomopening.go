package selfplay

import (
	"math/rand/v2"

	"github.com/carozero/carozero/game"
)

// randomOpening draws the random moves that a game starts with.
type randomOpening struct {
	opts  Opening
	width int // cells in a row of the board, 0 if moves are not cells
	moves []game.Move
	near  []game.Move
}

// draw plays random moves from pos, which it changes, and appends them to
// played. It reports whether the game goes on without a win at hand; if not,
// pos and moves are of no use.
func (o *randomOpening) draw(pos game.Position, played []game.Move, rng *rand.Rand) ([]game.Move, bool) {
	n := o.opts.MinPlies + rng.IntN(o.opts.MaxPlies-o.opts.MinPlies+1)
	for range n {
		o.moves = pos.Moves(o.moves[:0])
		m := o.choose(pos.MaxMoves(), played, rng)
		pos.Play(m)
		played = append(played, m)
		if pos.Outcome() != game.Undecided || o.winning(pos) {
			return played, false
		}
	}
	return played, true
}

// winning reports whether the side to move can win at once.
func (o *randomOpening) winning(pos game.Position) bool {
	o.near = pos.Wins(o.near[:0])
	return len(o.near) > 0
}

// choose draws one of o.moves: near the stones of the game so far or, before
// the first, near the centre, where there is such a move.
func (o *randomOpening) choose(cells int, played []game.Move, rng *rand.Rand) game.Move {
	o.near = o.near[:0]
	if o.width > 0 {
		for _, m := range o.moves {
			if o.isNear(int(m), cells, played) {
				o.near = append(o.near, m)
			}
		}
	}
	list := o.near
	if len(list) == 0 {
		list = o.moves
	}
	return list[rng.IntN(len(list))]
}

// isNear reports whether a cell is within the distance of a stone.
func (o *randomOpening) isNear(cell, cells int, played []game.Move) bool {
	x, y := 2*(cell%o.width), 2*(cell/o.width)
	if len(played) == 0 {
		return o.within(x-(o.width-1), y-(cells/o.width-1))
	}
	for _, m := range played {
		if o.within(x-2*(int(m)%o.width), y-2*(int(m)/o.width)) {
			return true
		}
	}
	return false
}

// within takes twice the differences of column and row, so that the centre of
// a board of even width is one too.
func (o *randomOpening) within(dx, dy int) bool {
	return max(dx, -dx, dy, -dy) <= 2*o.opts.Distance
}
