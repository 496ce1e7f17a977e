package crosscheck

import (
	"context"
	"errors"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// Engines are the two that are compared.
type Engines struct{ MCTS, AlphaBeta engine.Engine }

// close ends both.
func (e Engines) close() error { return errors.Join(e.MCTS.Close(), e.AlphaBeta.Close()) }

// think has an engine think within a budget.
func think(ctx context.Context, e engine.Engine, pos game.Position, budget int) (*engine.Answer, error) {
	return engine.Complete(ctx, e, pos, engine.Limits{Nodes: int64(budget)})
}

// opinionOf returns what an answer says of a move; ok is false if that is
// nothing.
func opinionOf(a *engine.Answer, m game.Move) (o engine.Opinion, ok bool) {
	for _, o := range a.Moves {
		if o.Move == m && o.Judged() {
			return o, true
		}
	}
	return o, false
}
