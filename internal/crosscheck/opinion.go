package crosscheck

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/think"
)

// Engines are the two that are compared.
type Engines struct{ MCTS, AlphaBeta think.Engine }

// search has an engine think within a budget. A search that the end of ctx cut
// short is an error, since a row must not depend on it.
func search(ctx context.Context, e think.Engine, pos game.Position, budget int) (*think.Answer, error) {
	a, err := e.Think(ctx, pos, think.Limits{Nodes: int64(budget)})
	if err == nil {
		err = ctx.Err()
	}
	return a, err
}

// opinionOf returns what an answer says of a move; ok is false if that is
// nothing.
func opinionOf(a *think.Answer, m game.Move) (o think.Opinion, ok bool) {
	for _, o := range a.Moves {
		if o.Move == m && o.Judged() {
			return o, true
		}
	}
	return o, false
}
