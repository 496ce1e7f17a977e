package crosscheck

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/nn"
)

// Setup says what the two engines are. Both are deterministic: no noise, no
// clock, one thread each.
type Setup struct {
	Playouts, Nodes int    // budgets
	Model           string // of MCTS; "": the shipped one

	tree      players.FixedTree
	classical search.ClassicalOptions
}

// ParseSetup reads the descriptions of MCTS and of alpha-beta, as in
// "playouts=400,solver-leaf=200" and "nodes=200000,table=64". Unless the latter says
// otherwise alpha-beta is judged by the fitted weights.
func ParseSetup(mctsText, alphaBetaText string) (s Setup, err error) {
	spec, err := players.ParseSpec(string(players.MCTS) + ":" + mctsText)
	if err == nil {
		s.tree, err = players.ParseFixedTree(spec)
	}
	if err != nil {
		return s, fmt.Errorf("mcts: %w", err)
	}
	s.Playouts, s.Model = s.tree.Playouts, s.tree.Model
	var nodes int64
	spec, err = players.ParseSpec(string(players.AlphaBeta) + ":" + alphaBetaText)
	if err == nil {
		s.classical, nodes, err = players.ParseFixedClassical(spec)
	}
	// Who checks a network should not know what it knows.
	if _, given := spec.Args.Get("weights"); !given && s.classical.Weights == games.BestWeights {
		s.classical.Weights = games.FittedWeights
	}
	if err != nil {
		return s, fmt.Errorf("alphabeta: %w", err)
	}
	s.Nodes = int(nodes)
	return s, nil
}

// SetEndgames makes both engines know solved endgames.
func (s *Setup) SetEndgames(e games.Endgames) {
	s.tree.Endgames, s.classical.Endgames = e, e
}

// Builder returns what builds the engines of one worker. The network's
// results are shared by all through cache, which may be nil.
func (s Setup) Builder(net *networks.Net, seed uint64, cache *nn.CacheTable) func() (Engines, error) {
	return func() (Engines, error) {
		tree, err := s.tree.OpenFixed(net, cache, seed)
		if err != nil {
			return Engines{}, err
		}
		classical, err := search.NewClassical(net.Variant(), s.classical)
		if err != nil {
			return Engines{}, err
		}
		return Engines{MCTS: tree, AlphaBeta: classical}, nil
	}
}

// Bytes returns what the engines of one worker may take where both get deeper
// times their budgets.
func (s Setup) Bytes(v games.Variant, deeper int) int64 {
	return s.tree.Bytes(v, s.Playouts*deeper) + games.ClassicalBytes(1, s.classical.Search.TableMiB)
}

// Engines are the two that are compared, which share nothing.
type Engines struct {
	MCTS, AlphaBeta engine.Engine
}

// close ends both.
func (e Engines) close() error {
	return errors.Join(e.MCTS.Close(), e.AlphaBeta.Close())
}

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
