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

// RootProver is a [Prover] that looks harder at the root of a search.
type RootProver interface {
	Prover

	// ProveRoot is Prove with a larger budget. The search asks it once about
	// each root, before the first playout, whether the root is new or was kept
	// by Advance.
	ProveRoot(pos game.Position) (m game.Move, plies int, ok bool)
}

// Refuter is a [Prover] that finds the moves that lose by force.
type Refuter interface {
	Prover

	// Refute looks at every move of pos, given in ascending order, and sets
	// out[i] for those after which the opponent's win is proven. The entries
	// are zero when it is called. The moves that it leaves out thus hold every
	// defence. It obeys the same rules as Prove; the search asks it about each
	// root whose win was not proven.
	Refute(pos game.Position, moves []game.Move, out []Refutation)
}

// Auditor is a [Prover] that looks hard at the move that a search is about to
// choose.
type Auditor interface {
	Prover

	// Audit looks for a forced win of the opponent after m, a legal move of pos
	// that does not end the game. It obeys the same rules as Prove.
	Audit(pos game.Position, m game.Move) Refutation
}

// Refutation says how a move loses. The zero value says that it is not known
// to.
type Refutation struct {
	Reply game.Move // the opponent's winning move
	Plies int       // from before Reply to the end of the game, 1 or more; 0: not refuted
}
