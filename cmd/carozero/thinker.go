package main

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/mcts"
)

// thinker finds moves in a game against a person.
type thinker interface {
	// think returns a legal move of the undecided position, which it leaves
	// alone.
	think(ctx context.Context, pos game.Position) (thought, error)
}

// thought is a move and what there is to say about it.
type thought struct {
	move   game.Move
	remark string
}

// treeThinker thinks by tree search.
type treeThinker struct {
	searcher *mcts.Searcher
	variant  engine.Variant
	flags    *searchFlags
}

// newTreeThinker returns a thinker that asks the network n.
func newTreeThinker(n *engine.Net, f *searchFlags) (*treeThinker, error) {
	eval, err := n.Evaluator(engine.EvalOptions{Seed: f.seed, Capacity: engine.MaxInFlight})
	if err != nil {
		return nil, err
	}
	return &treeThinker{searcher: mcts.New(f.options(), eval, n.Variant().Solvers(f.solvers)), variant: n.Variant(), flags: f}, nil
}

func (t *treeThinker) think(ctx context.Context, pos game.Position) (thought, error) {
	if err := t.searcher.SetPosition(t.flags.form(t.variant, pos)); err != nil {
		return thought{}, err
	}
	if err := t.searcher.Search(ctx, mcts.Limits{Playouts: t.flags.playouts}); err != nil {
		return thought{}, err
	}
	var r mcts.Result
	t.searcher.Result(&r)
	remark := winRate(r.Value)
	if r.Proven != mcts.Unknown {
		remark += fmt.Sprintf(", a proven %v in %d plies", r.Proven, r.ProofPlies)
	}
	return thought{move: r.Move, remark: remark}, nil
}

// classicalThinker thinks by the classical search.
type classicalThinker struct {
	engine *engine.Classical
	limits alphabeta.Limits
	seed   uint64
}

func (t *classicalThinker) think(ctx context.Context, pos game.Position) (thought, error) {
	m, r, err := t.engine.Choose(ctx, pos, t.limits, t.seed)
	if err != nil {
		return thought{}, err
	}
	remark := winRate(engine.Value(r.Score))
	if text := claim(r.Score); text != "" {
		remark += ", claims " + text
	}
	return thought{move: m, remark: remark}, nil
}

// winRate says what a value means for the engine.
func winRate(value float32) string { return fmt.Sprintf("its win rate %.0f%%", 50*(value+1)) }
