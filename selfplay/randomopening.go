package selfplay

import (
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/openings"
)

// randomOpening draws the random moves that a game starts with.
type randomOpening struct {
	opts   Opening
	width  int // cells in a row of the board, 0 if moves are not cells
	drawer openings.Drawer
	wins   []game.Move // scratch
}

// draw plays random moves on pos, which it changes, and appends them to played. If moves
// are cells, they are near the stones of the game so far. It reports whether the game is
// neither over nor won at once; if it is, pos and the moves must not be used.
func (o *randomOpening) draw(pos game.Position, played []game.Move, rng *rand.Rand) ([]game.Move, bool) {
	if o.drawer.Refuse == nil {
		o.drawer.Refuse = o.winning
		if o.width > 0 {
			o.drawer.Candidates = o.near(pos.MaxMoves() / o.width).Moves
		}
	}
	plies := o.opts.MinPlies + rng.IntN(o.opts.MaxPlies-o.opts.MinPlies+1)
	return o.drawer.Draw(pos, plies, played, rng)
}

// near returns the neighbourhood of random moves on a board of that many rows.
func (o *randomOpening) near(rows int) openings.Near {
	return openings.Near{Columns: o.width, Distance: o.opts.Distance, Centre: [2]int{o.width - 1, rows - 1}}
}

// winning reports whether the side to move can win at once.
func (o *randomOpening) winning(pos game.Position) bool {
	o.wins = pos.Wins(o.wins[:0])
	return len(o.wins) > 0
}
