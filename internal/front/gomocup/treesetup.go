package gomocup

import (
	"fmt"
	"math"
	"runtime/debug"

	"github.com/carozero/carozero/internal/engine"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/search"
)

// TreeSetup sets up tree searches for what clients of the Gomocup protocol ask
// for. Close it in the end.
type TreeSetup struct {
	loader *networks.Loader
	model  string
	opts   search.TreeOptions

	settings Settings      // of net and tree
	net      *networks.Net // nil: none was loaded
	tree     *search.Tree  // nil: none was set up
}

// NewTreeSetup returns a TreeSetup whose networks loader opens; model is as
// in [networks.Loader.Open].
func NewTreeSetup(loader *networks.Loader, model string, o search.TreeOptions) *TreeSetup {
	o.Reuse = true
	return &TreeSetup{loader: loader, model: model, opts: o}
}

// Close frees the network.
func (g *TreeSetup) Close() error {
	net := g.net
	g.net, g.tree = nil, nil
	if net == nil {
		return nil
	}
	return net.Close()
}

// Open is a [Open]. The first call for a size of board makes ready for all
// rules that a client may name, since many name theirs with the first move. In a
// hurry nothing is evaluated beforehand.
func (g *TreeSetup) Open(s Settings) (engine.Engine, error) {
	hurry := s.Hurry
	s.Hurry = false
	if g.tree != nil && s == g.settings {
		return g.tree, nil
	}
	g.tree = nil
	if s.Size != g.settings.Size {
		g.prepareRules(s.Size)
	}
	if g.net == nil || s.Rule != g.settings.Rule || s.Size != g.settings.Size {
		if err := g.load(s); err != nil {
			return nil, err
		}
	}
	g.settings = s
	limitMemory(s.Memory)
	o := g.opts
	o.Eval.Threads = s.Threads
	switch {
	case s.Table > 0:
		o.Search.Memory = max(s.Table, smallestTree)
	case s.Memory > 0:
		o.Search.Memory = treeMemory(s.Memory)
	}
	tree, err := search.NewTree(g.net, o)
	if err != nil {
		return nil, err
	}
	if !hurry {
		if err := tree.Prepare(); err != nil {
			return nil, err
		}
	}
	g.tree = tree
	return tree, nil
}

// prepareRules makes what all rules that clients may name have in common with other
// searches: tables of their lines, and the networks that many searches share. An error
// shows when such a rule is named.
func (g *TreeSetup) prepareRules(size int) {
	for _, name := range Rules() {
		v, err := games.NewVariant(games.VariantOptions{Rule: name, Size: size})
		if err != nil {
			continue
		}
		if start, err := v.Start(); err == nil {
			v.Searchable(start)
		}
		model := g.model
		if model == "" {
			model, err = g.loader.DefaultModel(v)
		}
		if err == nil {
			g.loader.Ready(model)
		}
	}
}

// load opens the network for a rule and size in place of the last one, or takes
// that over.
func (g *TreeSetup) load(s Settings) error {
	v, err := games.NewVariant(games.VariantOptions{Rule: s.Rule, Size: s.Size})
	if err != nil {
		return err
	}
	last := g.net
	g.net = nil
	net, err := g.loader.Reopen(last, v, g.model)
	if err != nil {
		return fmt.Errorf("no network for %s %dx%d: %w", s.Rule, s.Size, s.Size, err)
	}
	g.net = net
	return nil
}

// smallestTree is the least memory that a tree gets, in bytes.
const smallestTree = 16 << 20

// treeMemory returns the tree's part of a program's memory: a third, since a slab
// that grows stands beside the larger one for a while; the rest is for the
// network and the runtime.
func treeMemory(total int64) int64 { return max(total/3, smallestTree) }

// limitMemory has garbage collected before the program takes more memory than a
// client allows, of which the network takes some outside of Go; 0 is no limit.
func limitMemory(total int64) {
	limit := int64(math.MaxInt64)
	if total > 0 {
		limit = max(total/4*3, 2*smallestTree)
	}
	debug.SetMemoryLimit(limit)
}
