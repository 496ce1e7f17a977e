package mcts

import (
	"context"

	"github.com/carozero/carozero/game"
)

// Solver proves forced wins for a search. It belongs to the goroutine of its
// Searcher.
//
// Every method leaves pos unchanged and is bounded in nodes, never in time. Its answer
// is a pure function of its other arguments unless ctx ends: then it should return soon
// and may find nothing, but what it reports must still be proven. Positions are not
// over. A Solver that lacks a method embeds [NoSolver].
type Solver interface {
	// Leaf looks for a win of the side to move. The search asks it about
	// leaves that have no immediate win.
	Leaf(ctx context.Context, pos game.Position) ForcedWin

	// Root is Leaf with a larger budget. The search asks it once about each
	// root, before the first playout, whether the root is new or was kept by
	// Advance.
	Root(ctx context.Context, pos game.Position) ForcedWin

	// Refute examines every legal move of pos, given in ascending order, and sets
	// wins[i] to the opponent's win after the i-th move if it finds one; the entries
	// are zero when it is called. So every defence is among the moves without an
	// entry. The search asks it about each root for which Root found nothing.
	Refute(ctx context.Context, pos game.Position, moves []game.Move, wins []ForcedWin)

	// Audit looks for a win of the opponent after m, the move that the search is
	// about to choose. m is legal in pos and does not end the game.
	Audit(ctx context.Context, pos game.Position, m game.Move) ForcedWin

	// RootNodes returns how many moves Root, Refute and Audit have played so
	// far.
	RootNodes() int
}

// ForcedWin says how the side to move wins. The zero value says that no win is
// known.
type ForcedWin struct {
	Move  game.Move // the winner's first
	Plies int       // from before Move to the end of the game, 1 or more; 0: no win is known
}

// Found reports whether there is a win.
func (w ForcedWin) Found() bool { return w.Plies > 0 }

// NoSolver is a Solver that finds nothing.
type NoSolver struct{}

// Leaf implements [Solver].
func (NoSolver) Leaf(context.Context, game.Position) ForcedWin { return ForcedWin{} }

// Root implements [Solver].
func (NoSolver) Root(context.Context, game.Position) ForcedWin { return ForcedWin{} }

// Refute implements [Solver].
func (NoSolver) Refute(context.Context, game.Position, []game.Move, []ForcedWin) {}

// Audit implements [Solver].
func (NoSolver) Audit(context.Context, game.Position, game.Move) ForcedWin { return ForcedWin{} }

// RootNodes implements [Solver].
func (NoSolver) RootNodes() int { return 0 }
