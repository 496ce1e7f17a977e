package engine

import (
	"context"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/nn"
)

// Balance returns a judge of openings: the opinion of the first network that
// an entrant uses, or where there is none a short classical search.
func (p *Players) Balance(specs []arena.Spec) (arena.Balance, error) {
	for _, spec := range specs {
		model, _ := spec.Args.Get("model")
		n := p.nets[model]
		if n == nil || n.network == nil {
			continue
		}
		eval, err := n.Evaluator(EvalOptions{Capacity: 1, Threads: 1, Seed: p.seed})
		if err != nil {
			return nil, err
		}
		return netBalance(eval), nil
	}
	c, err := NewClassical(p.variant, ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
	if err != nil {
		return nil, err
	}
	return classicalBalance(c), nil
}

// netBalance returns a judge that asks eval.
func netBalance(eval nn.Evaluator) arena.Balance {
	return func(ctx context.Context, pos game.Position) (float64, error) {
		moves := pos.Moves(nil)
		r := nn.Result{Priors: make([]float32, len(moves))}
		if !eval.Add(pos, eval.Tag(pos), moves, &r) {
			if err := eval.Wait(ctx, nn.All); err != nil {
				return 0, err
			}
		}
		return float64(r.Value()), nil
	}
}

// balanceNodes is the budget of the classical search for one opening.
const balanceNodes = 2_000

// classicalBalance returns a judge that searches with c.
func classicalBalance(c *Classical) arena.Balance {
	return func(ctx context.Context, pos game.Position) (float64, error) {
		c.Forget()
		r, err := c.Search(ctx, pos, alphabeta.Limits{Nodes: balanceNodes})
		return float64(Value(r.Score)), err
	}
}
