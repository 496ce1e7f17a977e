package crosscheck

import (
	"context"

	"github.com/carozero/carozero/game"
)

// Engine is one of the two searches. It belongs to one goroutine.
type Engine interface {
	// Forget drops all that was learned, so that what follows up to the next
	// call is a function of the calls alone.
	Forget()

	// Search searches an undecided position, which it leaves alone, within a
	// budget of its own kind.
	Search(ctx context.Context, pos game.Position, budget int) (Opinion, error)
}

// Engines are the two that are compared.
type Engines struct{ MCTS, AlphaBeta Engine }

// Opinion is what an engine says of a position. Values are in -1..1 and, like
// claims, stated for the side to move.
type Opinion struct {
	Move  game.Move
	Value float64     // expected result
	Claim int         // plies to a win that is claimed, negative to a loss; 0: no claim
	Line  []game.Move // Move and what is expected after it

	Net   float64     // MCTS: the network's own value of the position
	Moves []Candidate // MCTS: the moves it has looked at

	Score int // alpha-beta: in its own units, or its form of a claim
	Depth int // alpha-beta: iterations completed
	Nodes int // alpha-beta: moves played; MCTS: playouts
}

// Candidate is an engine's opinion of one move.
type Candidate struct {
	Move   game.Move
	Value  float64
	Claim  int // as in Opinion, this move included
	Visits int
}

// of returns what the opinion says of a move; ok is false if that is nothing.
func (o *Opinion) of(m game.Move) (c Candidate, ok bool) {
	for _, c := range o.Moves {
		if c.Move == m {
			return c, true
		}
	}
	return Candidate{}, false
}
