package proof

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Limits bound what a proof may cost.
type Limits struct {
	Nodes int // moves that the solver plays on one position
	Asked int // positions that the replay may ask the solver about; 0: any number
}

// Win is a forced win of the side to move that stood the replay.
type Win struct {
	Kind  vcf.Kind
	Plies int         // to the end of the game at most
	Line  []game.Move // against the longest defence
	Asked int         // positions in which the replay asked the solver
	Nodes int         // moves that the solver played to find it
}

// Find has the solver look for a win of the side to move on b, by one kind after
// the other, and replays the first that it sees. ok is false if it sees none, or
// if that one does not hold within its plies. b is the same afterwards.
func Find(ctx context.Context, s *vcf.Solver, b *gomoku.Board, l Limits, kinds ...vcf.Kind) (w Win, ok bool) {
	for _, kind := range kinds {
		r := s.Solve(ctx, pattern.FromBoard(b), kind, l.Nodes)
		if r.Outcome != vcf.Win {
			continue
		}
		w = Win{Kind: kind, Plies: r.Plies, Line: append([]game.Move(nil), r.Line...), Nodes: r.Nodes}
		var err error
		w.Asked, err = Confirm(ctx, s, b, kind, r.Plies, l)
		return w, err == nil
	}
	return Win{}, false
}

// Confirm replays a win of the side to move on b, within so many plies, with the
// moves of the solver whose last Solve has found it. It returns what Replay does.
func Confirm(ctx context.Context, s *vcf.Solver, b *gomoku.Board, kind vcf.Kind, plies int, l Limits) (asked int, err error) {
	return Replay(b, plies, func(b *gomoku.Board) (game.Move, int, bool) {
		if asked++; l.Asked > 0 && asked > l.Asked || ctx.Err() != nil {
			return game.NoMove, 0, false
		}
		return s.Follow(ctx, pattern.FromBoard(b), kind, l.Nodes)
	})
}
