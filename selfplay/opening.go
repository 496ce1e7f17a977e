package selfplay

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
)

// balancedOpening draws openings for a game until one is balanced.
type balancedOpening struct {
	random    randomOpening
	choice    game.Balanced
	candidate []game.Move // the opening last drawn
}

// mostDraws bounds the draws of an opening that is open at all.
const mostDraws = 1000

// draw returns the moves of an opening from start, which are valid until the next draw: the
// first of Tries whose value is balanced, or the most balanced one. If the game is over or
// won at once after all of them, it is the first open one of more draws. It is a function of
// start, seed and value.
func (b *balancedOpening) draw(
	ctx context.Context, start game.Position, seed uint64, value func(context.Context, game.Position) (float64, error),
) ([]game.Move, error) {
	o := &b.random.opts
	b.choice.Tolerance, b.choice.Tries = o.MaxValue, o.Tries
	b.choice.Reset()
	try, more := b.choice.Next()
	for ; more; try, more = b.choice.Next() {
		pos, open := b.drawn(start, seed, try)
		if !open {
			continue
		}
		v, err := value(ctx, pos)
		if err != nil {
			return nil, err
		}
		b.choice.Judge(b.candidate, v)
	}
	if moves, ok := b.choice.Opening(); ok {
		return moves, nil
	}
	for ; try < mostDraws; try++ {
		if _, open := b.drawn(start, seed, try); open {
			return b.candidate, nil
		}
	}
	return nil, fmt.Errorf("selfplay: none of %d random openings of %d to %d moves leaves the game open: use fewer",
		try, o.MinPlies, o.MaxPlies)
}

// drawn draws the candidate of a try and returns the position after it, and whether that
// is open.
func (b *balancedOpening) drawn(start game.Position, seed uint64, try int) (pos game.Position, open bool) {
	rng := rand.New(rand.NewPCG(seed, uint64(try)))
	pos = start.Clone()
	b.candidate, open = b.random.draw(pos, b.candidate[:0], rng)
	return pos, open
}

// randomOpening draws the random moves that a game starts with.
type randomOpening struct {
	opts   Opening
	width  int // cells in a row of the board, 0 if moves are not cells
	drawer game.Drawer
	wins   []game.Move // scratch
}

// draw plays random moves on pos, which it changes, and appends them to played. If moves
// are cells, they are near the stones of the game so far. It reports whether the game is
// neither over nor won at once; if it is, pos and the moves must not be used.
func (o *randomOpening) draw(pos game.Position, played []game.Move, rng *rand.Rand) ([]game.Move, bool) {
	if o.drawer.Refuse == nil {
		o.drawer.Refuse = func(pos game.Position) bool { // the side to move can win at once
			o.wins = pos.Wins(o.wins[:0])
			return len(o.wins) > 0
		}
		if o.width > 0 {
			rows := pos.MaxMoves() / o.width
			near := game.Near{Columns: o.width, Distance: o.opts.Distance, Centre: [2]int{o.width - 1, rows - 1}}
			o.drawer.Candidates = near.Moves
		}
	}
	plies := o.opts.MinPlies + rng.IntN(o.opts.MaxPlies-o.opts.MinPlies+1)
	return o.drawer.Draw(pos, plies, played, rng)
}
