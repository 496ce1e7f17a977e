package analysis

import (
	"context"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
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

// images returns the moves that are like m, m the first of them, and beside each the map that
// leads to it, nil for m.
func (s symmetries) images(m game.Move) (like []game.Move, by symmetries) {
	like, by = []game.Move{m}, symmetries{nil}
	for _, f := range s {
		if to := f(m); !slices.Contains(like, to) {
			like, by = append(like, to), append(by, f)
		}
	}
	return like, by
}

// pruned is an engine that looks at one of each set of moves that are alike. What plays
// before it searches may play any of them.
type pruned struct {
	engine.Engine
	alike symmetries // of the position that it thinks about
}

// Think implements [engine.Engine]. Where moves are barred already, no others are.
func (p pruned) Think(ctx context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	if l.Restrict == nil {
		l.Restrict = &engine.Restriction{Plies: 1, Barred: func(ply int, _ game.Side, m game.Move) bool { return ply == 0 && p.alike.first(m) != m }}
	}
	return p.Engine.Think(ctx, pos, l)
}

// share returns by what the prior of a move that was looked at is multiplied, so that the
// priors of all moves, those alike included, sum to what they do in the answer.
func (s symmetries) share(a *engine.Answer) float32 {
	looked, all := float32(0), float32(0)
	for i := range a.Moves {
		p := finite(a.Moves[i].Prior)
		like, _ := s.images(a.Moves[i].Move)
		looked += p
		all += float32(p * float32(len(like)))
	}
	if all == 0 {
		return 1
	}
	return looked / all
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
		images, by := s.images(moves[i])
		for k, m := range images[1:] {
			f := by[1+k]
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
