package players

import (
	"context"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/nn"
)

// balanceNodes is the budget of the classical search for one opening.
const balanceNodes = 2_000

// Balance returns an evaluation of openings: by the first network that an
// entrant uses, otherwise by a short classical search.
func (p *Players) Balance(specs []PlayerSpec) (arena.Balance, error) {
	for _, spec := range specs {
		model, asks := spec.Model()
		n := p.nets[model]
		if !asks || n == nil || !n.Trained() {
			continue
		}
		tree, err := search.NewTree(n, search.TreeOptions{Eval: nn.EvaluatorOptions{Capacity: 1, Threads: 1, Seed: p.seed}})
		if err != nil {
			return nil, err
		}
		return balance(tree, 1, func(a *engine.Answer) float32 { return a.NetValue }), nil
	}
	return ClassicalBalance(p.variant)
}

// ClassicalBalance returns an evaluation of openings by a short classical
// search. It belongs to one goroutine.
func ClassicalBalance(v games.Variant) (arena.Balance, error) {
	c, err := search.NewClassical(v, search.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
	if err != nil {
		return nil, err
	}
	return balance(c, balanceNodes, func(a *engine.Answer) float32 { return a.Value }), nil
}

// balance returns an evaluation of openings by an engine.
func balance(e engine.Engine, nodes int64, value func(*engine.Answer) float32) arena.Balance {
	return func(ctx context.Context, pos game.Position) (float64, error) {
		e.Forget()
		a, err := engine.Complete(ctx, e, pos, engine.Limits{Nodes: nodes})
		if err != nil {
			return 0, err
		}
		return float64(value(a)), nil
	}
}
