package mcts

import (
	"context"

	"github.com/carozero/carozero/game"
)

// Solver proves results of positions for a search: forced wins, or losses and draws
// too. It belongs to the goroutine of its Searcher.
//
// Every method leaves pos unchanged and is bounded in nodes, never in time. Its answer
// is a pure function of its other arguments unless ctx ends: then it should return soon
// and may find nothing, but what it reports must still be proven. Positions are not
// over. A Solver that lacks a method embeds [NoSolver].
type Solver interface {
	// Leaf looks for a proof of a position. The search asks it about leaves that have no
	// immediate win. Of a position that it proves lost or drawn, which may become the
	// root later, Refute must prove every move, also one that ends the game in a draw.
	Leaf(ctx context.Context, pos game.Position) Solution

	// Root looks for a win of the side to move, with a larger budget than Leaf; that the
	// root is drawn or lost follows from Refute. The search asks it once about each root,
	// before the first playout, whether the root is new or was kept by Advance.
	Root(ctx context.Context, pos game.Position) Solution

	// Refute examines every legal move of pos, given in ascending order, and sets
	// after[i] to what it proves of the position after the i-th move, for the side to
	// move there; the entries are zero when it is called. So every defence is among the
	// moves whose entry is no win. The search asks it about each root for which Root
	// found nothing.
	Refute(ctx context.Context, pos game.Position, moves []game.Move, after []Solution)

	// Audit looks for a proof of the position after m, the move that the search is about
	// to choose. m is legal in pos and does not end the game.
	Audit(ctx context.Context, pos game.Position, m game.Move) Solution

	// RootNodes returns how many moves Root, Refute and Audit have played so
	// far.
	RootNodes() int
}

// Solution says how a position ends for its side to move. The zero value says that
// nothing is known.
type Solution struct {
	Proof Proof
	Move  game.Move // the winner's first; without meaning unless Proof is Win
	Plies int       // to the end of the game; Endless for a draw without an end
}

// Endless is the distance of a draw by a game that neither side can or needs to end.
const Endless = pliesMask

// Found reports whether anything is known.
func (s Solution) Found() bool { return s.Proof != Unknown }

// NoSolver is a Solver that finds nothing.
type NoSolver struct{}

// Leaf implements [Solver].
func (NoSolver) Leaf(context.Context, game.Position) Solution { return Solution{} }

// Root implements [Solver].
func (NoSolver) Root(context.Context, game.Position) Solution { return Solution{} }

// Refute implements [Solver].
func (NoSolver) Refute(context.Context, game.Position, []game.Move, []Solution) {}

// Audit implements [Solver].
func (NoSolver) Audit(context.Context, game.Position, game.Move) Solution { return Solution{} }

// RootNodes implements [Solver].
func (NoSolver) RootNodes() int { return 0 }
