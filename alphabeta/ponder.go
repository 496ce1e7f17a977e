package alphabeta

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/game"
)

// Ponder searches, while the opponent of pos is thinking, what follows if it
// plays reply, until ctx ends or l does; l should bound no time. Only what it
// leaves behind in the table and in what is learnt matters: if the opponent
// does play reply, a Search from there finds most of its work done. If not,
// the positions that can still come up are known all the same.
//
// Ponder blocks, as Search does, and may not overlap with it: let it run in a
// goroutine, end ctx when the opponent has moved, and wait for it to return
// before the next Search. The end of ctx is no error here.
func (s *Searcher) Ponder(ctx context.Context, pos game.Position, reply game.Move, l Limits) (Result, error) {
	if !pos.Legal(reply) {
		return Result{}, fmt.Errorf("alphabeta: cannot ponder on %d, which is no legal move", reply)
	}
	pos = pos.Clone()
	pos.Play(reply)
	if pos.Outcome() != game.Undecided {
		return Result{}, nil
	}
	r, err := s.Search(ctx, pos, l)
	if err != nil && err == ctx.Err() {
		return r, nil
	}
	return r, err
}
