package mcts

import (
	"slices"

	"github.com/carozero/carozero/game"
)

// Restriction excludes moves from a search, for example to find the best alternative
// to a move. Moves may be barred in the nodes less than Plies below the root; if all
// moves of a node are barred, all are searched.
//
// Proofs still hold in the unrestricted game. So in nodes where moves may be missing a
// loss or a draw is never proven, the solver is not asked, and only an immediate win by
// a move that is not barred counts. If only the root is restricted (Plies is 1) the
// solver is asked about it, but a win by a barred move is ignored.
type Restriction struct {
	Plies int

	// Barred reports whether a move of side is barred so many plies below the
	// root. It is a pure function.
	Barred func(ply int, side game.Side, m game.Move) bool
}

// at reports whether moves may be barred in nodes ply plies below the root.
func (r *Restriction) at(ply int) bool { return r != nil && ply < r.Plies }

// permits reports whether m is not barred.
func (r *Restriction) permits(ply int, side game.Side, m game.Move) bool {
	return !r.at(ply) || !r.Barred(ply, side, m)
}

// filter drops the barred moves and their priors, in place, and scales the other priors
// to the same sum. Nothing is dropped if all moves are barred.
func (r *Restriction) filter(ply int, side game.Side, moves []game.Move, priors []float32) ([]game.Move, []float32) {
	if !r.at(ply) {
		return moves, priors
	}
	n, all, kept := 0, float32(0), float32(0)
	for i, m := range moves {
		all += priors[i]
		if !r.Barred(ply, side, m) {
			n++
			kept += priors[i]
		}
	}
	if n == 0 || n == len(moves) {
		return moves, priors
	}
	n = 0
	for i, m := range moves {
		if r.Barred(ply, side, m) {
			continue
		}
		p := all / float32(len(moves))
		if kept > 0 {
			p = float32(priors[i]*all) / kept
		}
		moves[n], priors[n] = m, p
		n++
	}
	return moves[:n], priors[:n]
}

// permitted returns the moves of a list that are not barred, in place.
func (r *Restriction) permitted(ply int, side game.Side, moves []game.Move) []game.Move {
	if !r.at(ply) {
		return moves
	}
	return slices.DeleteFunc(moves, func(m game.Move) bool { return r.Barred(ply, side, m) })
}
