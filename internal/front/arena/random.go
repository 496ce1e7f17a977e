package arena

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/openings"
)

// Balance judges an undecided position: the expected score in -1..1 of the
// side to move. It must be a pure function of the position.
type Balance func(ctx context.Context, pos game.Position) (float64, error)

// RandomOpenings makes up openings of random legal moves. One in which either
// side can win at once, or cannot keep the other from doing so, is rejected.
// Of the rest it takes the first one whose Balance is within Tolerance of 0,
// or after Tries attempts the one nearest to 0.
type RandomOpenings struct {
	Start game.Position
	Plies int    // the length of an opening
	Seed  uint64 // together with the pair's number it determines the opening

	Balance   Balance // nil: the first opening is taken
	Tolerance float64 // 0 means 0.1
	Tries     int     // 0 means 200

	// Candidates appends to buf the moves to draw from, a subset of the legal
	// moves that is not empty; nil draws from all of them.
	Candidates func(pos game.Position, buf []game.Move) []game.Move

	// Starts is that of Options: where the openings of a pair begin; nil: at Start.
	Starts func(pair int) (game.Position, error)
}

// The defaults of [RandomOpenings].
const (
	defaultTolerance = 0.1
	defaultTries     = 200
)

// Opening returns the opening of pair.
func (o *RandomOpenings) Opening(ctx context.Context, pair int) ([]game.Move, error) {
	choice := openings.Balanced{Tolerance: o.Tolerance, Tries: o.Tries}
	if choice.Tolerance == 0 {
		choice.Tolerance = defaultTolerance
	}
	if choice.Tries == 0 {
		choice.Tries = defaultTries
	}
	rng := rand.New(rand.NewPCG(o.Seed, uint64(pair)))
	start := o.Start
	if o.Starts != nil {
		var err error
		if start, err = o.Starts(pair); err != nil {
			return nil, err
		}
	}
	var drawer openings.Drawer
	if o.Candidates != nil {
		drawer.Candidates = func(pos game.Position, _, buf []game.Move) []game.Move { return o.Candidates(pos, buf) }
	}
	for {
		if _, more := choice.Next(); !more {
			break
		}
		moves, pos := o.draw(start, &drawer, rng)
		if pos == nil || oneSided(pos) {
			continue
		}
		if o.Balance == nil {
			return moves, nil
		}
		value, err := o.Balance(ctx, pos)
		if err != nil {
			return nil, fmt.Errorf("opening of pair %d: %w", pair+1, err)
		}
		choice.Judge(moves, value)
	}
	moves, found := choice.Opening()
	if !found {
		return nil, fmt.Errorf("opening of pair %d: none of %d random openings of %d moves leaves the game open; use fewer moves", pair+1, choice.Tries, o.Plies)
	}
	return moves, nil
}

// draw returns a random opening from start and the position after it, which is nil if
// the game ends on the way.
func (o *RandomOpenings) draw(start game.Position, d *openings.Drawer, rng *rand.Rand) ([]game.Move, game.Position) {
	pos := start.Clone()
	moves, open := d.Draw(pos, o.Plies, make([]game.Move, 0, o.Plies), rng)
	if !open {
		return moves, nil
	}
	return moves, pos
}

// oneSided reports whether the side to move can win at once, or cannot prevent
// the opponent from winning with its next move.
func oneSided(pos game.Position) bool {
	buf := make([]game.Move, 0, pos.MaxMoves())
	if len(pos.Wins(buf)) > 0 {
		return true
	}
	for _, m := range pos.Moves(buf) {
		if !losesAtOnce(pos, m, nil) {
			return false
		}
	}
	return true
}

// losesAtOnce reports whether the move m loses on the spot or leaves the
// opponent a move that wins. It uses the room of buf, and leaves pos as it
// was.
func losesAtOnce(pos game.Position, m game.Move, buf []game.Move) bool {
	opponent := pos.ToMove().Other()
	pos.Play(m)
	defer pos.Undo()
	switch pos.Outcome() {
	case game.Undecided:
		return pos.ToMove() == opponent && len(pos.Wins(buf[:0])) > 0
	case game.WinFor(opponent):
		return true
	}
	return false
}
