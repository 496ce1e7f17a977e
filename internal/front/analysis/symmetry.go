package analysis

import (
	"slices"

	"github.com/carozero/carozero/game"
)

// symmetries are the maps of moves under which a position stays what it is, the
// identity left out.
type symmetries []func(game.Move) game.Move

// first returns the least of the moves that are like m, m among them.
func (s symmetries) first(m game.Move) game.Move {
	least := m
	for _, f := range s {
		least = min(least, f(m))
	}
	return least
}

// unfold puts behind every move, of which only the first of those alike were
// looked at, the others, with all that was found copied and turned.
func (s symmetries) unfold(list []MoveInfo, moves []game.Move, lines [][]game.Move, n game.Notation) []MoveInfo {
	if len(s) == 0 {
		return list
	}
	var all []MoveInfo
	for i, info := range list {
		info.Order = len(all)
		all = append(all, info)
		seen := []game.Move{moves[i]}
		for _, f := range s {
			m := f(moves[i])
			if slices.Contains(seen, m) {
				continue
			}
			seen = append(seen, m)
			like := info
			like.Move, like.IsSymmetryOf, like.Order = n.FormatMove(m), info.Move, len(all)
			like.PV = nil
			for _, next := range lines[i] {
				like.PV = append(like.PV, n.FormatMove(f(next)))
			}
			if like.Proven != nil {
				proof := *like.Proven
				proof.Line = nil // it is the other move's
				like.Proven = &proof
			}
			all = append(all, like)
		}
	}
	return all
}
