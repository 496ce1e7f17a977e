package crosscheck

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

// Setup says what the two engines are. Both are deterministic: no noise, no
// clock, one thread each.
type Setup struct {
	Playouts, Nodes int    // budgets
	Model           string // of MCTS; "": the shipped one

	tree      engine.FixedTree
	classical engine.ClassicalOptions
}

// ParseSetup reads the descriptions of MCTS and of alpha-beta, as in
// "playouts=400,solver=200" and "nodes=200000,table=64".
func ParseSetup(mctsText, alphaBetaText string) (s Setup, err error) {
	spec, err := arena.ParseSpec(string(arena.MCTS) + ":" + mctsText)
	if err == nil {
		s.tree, err = engine.ParseFixedTree(spec)
	}
	if err != nil {
		return s, fmt.Errorf("mcts: %w", err)
	}
	s.Playouts, s.Model = s.tree.Playouts, s.tree.Model
	var limits alphabeta.Limits
	spec, err = arena.ParseSpec(string(arena.AlphaBeta) + ":" + alphaBetaText)
	if err == nil {
		s.classical, limits, err = engine.ParseFixedClassical(spec)
	}
	if err != nil {
		return s, fmt.Errorf("alphabeta: %w", err)
	}
	s.Nodes = int(limits.Nodes)
	return s, nil
}

// Builder returns what builds a pair of engines for one worker. The network's
// results are shared by all through cache, which may be nil.
func (s Setup) Builder(net *engine.Net, seed uint64, cache *nn.CacheTable) func() (Engines, error) {
	return func() (Engines, error) {
		tree, err := s.tree.Open(net, cache, seed)
		if err != nil {
			return Engines{}, err
		}
		classical, err := engine.NewClassical(net.Variant(), s.classical)
		if err != nil {
			return Engines{}, err
		}
		return Engines{MCTS: &treeEngine{search: tree}, AlphaBeta: &classicalEngine{classical}}, nil
	}
}

// Bytes returns what the engines of one worker may take where both get deeper
// times their budgets.
func (s Setup) Bytes(v engine.Variant, deeper int) int64 {
	return s.tree.Bytes(v, s.Playouts*deeper) + engine.ClassicalBytes(1, s.classical.Search.TableMiB)
}

// treeEngine searches by MCTS; its budget is in playouts.
type treeEngine struct {
	search *engine.TreeSearch
	result mcts.Result
}

// Forget does nothing: every search starts with an empty tree.
func (t *treeEngine) Forget() {}

func (t *treeEngine) Search(ctx context.Context, pos game.Position, playouts int) (Opinion, error) {
	r := &t.result
	if err := t.search.Search(ctx, pos, playouts, r); err != nil {
		return Opinion{}, err
	}
	o := Opinion{
		Move: r.Move, Value: float64(r.Value), Claim: claimOf(r.Proven, r.ProofPlies),
		Line: append([]game.Move(nil), r.PV...), Net: float64(r.NetValue), Nodes: r.Playouts,
	}
	if len(o.Line) == 0 || o.Line[0] != o.Move {
		o.Line = []game.Move{o.Move}
	}
	for _, c := range r.Children {
		if c.Visits > 0 || c.Proven != mcts.Unknown {
			o.Moves = append(o.Moves, Candidate{
				Move: c.Move, Value: float64(c.Q), Claim: claimOf(c.Proven, c.Plies), Visits: int(c.Visits),
			})
		}
	}
	return o, nil
}

// claimOf returns what a tree holds for proven, as a claim.
func claimOf(p mcts.Proof, plies int) int {
	switch p {
	case mcts.Win:
		return max(1, plies)
	case mcts.Loss:
		return -max(1, plies)
	}
	return 0
}

// classicalEngine searches by alpha-beta; its budget is in nodes.
type classicalEngine struct{ search *engine.Classical }

func (c *classicalEngine) Forget() { c.search.Forget() }

func (c *classicalEngine) Search(ctx context.Context, pos game.Position, nodes int) (Opinion, error) {
	r, err := c.search.Search(ctx, pos, alphabeta.Limits{Nodes: int64(nodes)})
	if err != nil {
		return Opinion{}, err
	}
	o := Opinion{
		Move: r.Move, Value: float64(engine.Value(r.Score)), Score: int(r.Score),
		Line: r.Lines[0].Moves, Depth: r.Depth, Nodes: int(r.Stats.Nodes),
	}
	if plies, ok := r.Score.Claim(); ok {
		o.Claim = plies
		if r.Score < 0 {
			o.Claim = -plies
		}
	}
	return o, nil
}
