package mcts

import (
	"slices"

	"github.com/carozero/carozero/game"
)

// Restriction keeps a search from some moves, for questions such as what a move
// is worth, or what there is beside it. Moves are barred in the nodes fewer than
// Plies below the root; a node all of whose moves are barred keeps them.
//
// What is proven holds in the whole game all the same. So in nodes where moves
// may be missing a loss or a draw is never proven, no solver is asked, and a win
// at once counts only by a move that is not barred. At a root that alone is
// restricted (Plies is 1) the solver is asked as ever; a win by a barred move
// counts for nothing.
type Restriction struct {
	Plies int

	// Barred reports whether a move of side is barred so many plies below the
	// root. It is a pure function.
	Barred func(ply int, side game.Side, m game.Move) bool
}

// at reports whether moves may be barred in nodes so many plies below the root.
func (r *Restriction) at(ply int) bool { return r != nil && ply < r.Plies }

// permits reports whether m may be looked at.
func (r *Restriction) permits(ply int, side game.Side, m game.Move) bool {
	return !r.at(ply) || !r.Barred(ply, side, m)
}

// filter drops the barred moves and their priors, in place, and lets the priors
// of the others sum to what all did. Nothing is dropped if all are barred.
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

// permitted returns the moves of a list that may be looked at, in place.
func (r *Restriction) permitted(ply int, side game.Side, moves []game.Move) []game.Move {
	if !r.at(ply) {
		return moves
	}
	return slices.DeleteFunc(moves, func(m game.Move) bool { return r.Barred(ply, side, m) })
}
