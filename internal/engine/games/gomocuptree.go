package games

import (
	"fmt"
	"math"
	"runtime/debug"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/front/gomocup"
)

// GomocupTree sets up tree searches for what clients of the Gomocup protocol ask
// for. Close it in the end.
type GomocupTree struct {
	loader *Loader
	model  string
	opts   TreeOptions

	settings gomocup.Settings // of net and tree
	net      *Net             // nil: none was loaded
	tree     *Tree            // nil: none was set up
}

// NewGomocupTree returns a GomocupTree whose networks loader opens; model is as
// in [Loader.Open].
func NewGomocupTree(loader *Loader, model string, o TreeOptions) *GomocupTree {
	o.Reuse = true
	return &GomocupTree{loader: loader, model: model, opts: o}
}

// Close frees the network.
func (g *GomocupTree) Close() error {
	net := g.net
	g.net, g.tree = nil, nil
	if net == nil {
		return nil
	}
	return net.Close()
}

// Open is a [gomocup.Open]. The first call for a size of board makes ready for all
// rules that a client may name, since many name theirs with the first move. In a
// hurry nothing is evaluated beforehand.
func (g *GomocupTree) Open(s gomocup.Settings) (engine.Engine, error) {
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
	tree, err := NewTree(g.net, o)
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
func (g *GomocupTree) prepareRules(size int) {
	for _, name := range gomocup.Rules() {
		v, err := NewVariant(VariantOptions{Rule: name, Size: size})
		if err != nil {
			continue
		}
		if start, err := v.Start(); err == nil {
			v.Searchable(start)
		}
		model := g.model
		if model == "" {
			model, err = defaultModel(v)
		}
		if err == nil {
			g.loader.ready(model)
		}
	}
}

// load opens the network for a rule and size in place of the last one, or takes
// that over.
func (g *GomocupTree) load(s gomocup.Settings) error {
	v, err := NewVariant(VariantOptions{Rule: s.Rule, Size: s.Size})
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
