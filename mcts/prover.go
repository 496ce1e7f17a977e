package mcts

import "github.com/carozero/carozero/game"

// Prover proves wins for the side to move, as a solver of forced wins does.
type Prover interface {
	// Prove looks for a forced win of the side to move. It reports the first
	// move, the plies to the end of the game, and whether a win was proven.
	// It leaves pos as it was and must be a pure function of the position,
	// bounded in nodes and never in time. The search asks it about leaves
	// that are not over and have no immediate win.
	Prove(pos game.Position) (m game.Move, plies int, ok bool)
}
