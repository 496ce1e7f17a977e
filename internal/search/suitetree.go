package search

import (
	"context"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/nn"
)

// SuiteTree is tree search with one model for positions of any rule set and size, one after
// the other; nothing is kept from one to the next. Close it in the end. It belongs to one
// goroutine.
type SuiteTree struct {
	Loader   *networks.Loader
	Model    string // as in [networks.Loader.Open]
	Solvers  games.SolverNodes
	Playouts int

	used games.SolverNodes // in the last search

	variant games.Variant  // the variant of tree
	nets    *networks.Nets // nil: none is open
	tree    *Tree          // nil: none was set up
}

// Think searches a position of a rule set. It returns an error if ctx ends.
func (s *SuiteTree) Think(ctx context.Context, rule string, size int, pos game.Position) (*engine.Answer, error) {
	v, err := games.NewVariant(games.VariantOptions{Rule: rule, Size: size})
	if err == nil && (s.tree == nil || s.variant != v) {
		err = s.open(v)
	}
	if err != nil {
		return nil, err
	}
	return engine.Complete(ctx, s.tree, pos, engine.Limits{Nodes: int64(s.Playouts)})
}

// open prepares for a variant.
func (s *SuiteTree) open(v games.Variant) error {
	if s.nets == nil {
		s.nets = networks.NewNets(s.Loader, s.Model)
	}
	net, err := s.nets.Net(v)
	if err != nil {
		return err
	}
	tree, err := NewTree(net, TreeOptions{Solvers: s.Solvers, Eval: nn.EvaluatorOptions{Seed: 1}})
	if err == nil {
		s.variant, s.tree, s.used = v, tree, net.Settled(s.Solvers)
	}
	return err
}

// Used returns the solver budgets of the latest search.
func (s *SuiteTree) Used() games.SolverNodes { return s.used }

// Close frees the networks.
func (s *SuiteTree) Close() error {
	nets := s.nets
	s.nets, s.tree = nil, nil
	if nets == nil {
		return nil
	}
	return nets.Close()
}
