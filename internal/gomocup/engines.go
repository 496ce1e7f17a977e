package gomocup

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/search"
)

// Budgets of the classical search in a dialogue.
const (
	quickNodes = 10_000  // for a move that is wanted as fast as possible: a few hundredths of a second
	endless    = 1 << 40 // bounds nothing, where only clocks or a depth were given
)

// ClassicalBudget returns the options of a dialogue with the classical search whose
// clients give the clocks.
func ClassicalBudget() Options { return Options{Nodes: endless, Quick: quickNodes} }

// variants returns the variants that clients may name on boards of a size.
func variants(size int) (list []games.Variant) {
	for _, r := range ruleNumbers {
		if v, err := (Settings{Rule: r.name, Size: size}).variant(); err == nil {
			list = append(list, v)
		}
	}
	return list
}

// variant returns what is played under the settings.
func (s Settings) variant() (games.Variant, error) {
	return games.NewVariant(games.VariantOptions{Rule: s.Rule, Size: s.Size})
}

// ClassicalSetup sets up classical searches for what clients of the Gomocup
// protocol ask for.
type ClassicalSetup struct {
	opts    search.ClassicalOptions // Threads and TableMiB where the client names none
	engine  *search.Classical       // nil: none was set up
	threads int                     // that a client named for it
	size    int                     // of the boards that it is prepared for
}

// NewClassicalSetup returns a ClassicalSetup.
func NewClassicalSetup(o search.ClassicalOptions) *ClassicalSetup {
	const defaultTableMiB = 64
	if o.Search.TableMiB == 0 {
		o.Search.TableMiB = defaultTableMiB
	}
	return &ClassicalSetup{opts: o}
}

// Open is an [Open]. A table for which there is no memory is an error. In
// a hurry another size of the table is left to Settle. The first call for a size of board makes ready for
// all rules that a client may name, since many name theirs with the first move.
func (g *ClassicalSetup) Open(s Settings) (engine.Engine, error) {
	v, err := s.variant()
	if err == nil {
		err = g.become(v, s)
	}
	if err != nil {
		g.engine, g.size = nil, 0
		return nil, err
	}
	return g.engine, nil
}

// become makes the engine one for the settings.
func (g *ClassicalSetup) become(v games.Variant, s Settings) (err error) {
	mib := g.tableMiB(s)
	if g.engine == nil || s.Threads != g.threads {
		o := g.opts
		o.Search.TableMiB = mib
		if s.Threads > 0 {
			o.Search.Threads = min(s.Threads, int(option.SearchThreads.Max))
		}
		g.engine, g.threads, g.size = nil, s.Threads, 0 // its table need not stand beside the new one
		if g.engine, err = search.NewClassical(v, o); err != nil {
			return err
		}
	}
	var adopt []games.Variant
	if s.Size != g.size {
		adopt = slices.DeleteFunc(variants(s.Size), func(other games.Variant) bool { return other == v })
	}
	if s.Size != g.size || v != g.engine.Variant() {
		adopt = append(adopt, v)
	}
	for _, v := range adopt {
		if err := g.engine.Adopt(v, g.opts); err != nil {
			return err
		}
		if s.Size == g.size {
			continue
		}
		if err := g.engine.Prepare(); err != nil {
			return err
		}
	}
	g.size = s.Size
	if s.Hurry {
		g.engine.ResizeLater(mib)
		return nil
	}
	if err := g.engine.Resize(mib); err != nil {
		return err
	}
	g.engine.Settle(context.Background())
	return nil
}

// tableMiB returns the size of the table: what the client named, or half of the
// memory that the program may use, up to 1 GiB.
func (g *ClassicalSetup) tableMiB(s Settings) int {
	switch {
	case s.Table > 0:
		return int(max(s.Table>>20, 1))
	case s.Memory > 0:
		return int(max(min(s.Memory/2>>20, 1024), 1))
	}
	return g.opts.Search.TableMiB
}

// TreeSetup sets up tree searches for what clients of the Gomocup protocol ask
// for. Close it in the end.
type TreeSetup struct {
	loader *networks.Loader
	model  string
	nets   *networks.Nets
	opts   search.TreeOptions

	settings Settings     // of tree
	tree     *search.Tree // nil: none was set up
}

// NewTreeSetup returns a TreeSetup whose networks loader opens; model is as
// in [networks.Loader.Open].
func NewTreeSetup(loader *networks.Loader, model string, o search.TreeOptions) *TreeSetup {
	o.Reuse = true
	return &TreeSetup{loader: loader, model: model, nets: networks.NewNets(loader, model), opts: o}
}

// Close frees the networks.
func (g *TreeSetup) Close() error {
	g.tree = nil
	return g.nets.Close()
}

// smallestTree is the least memory that a tree gets, in bytes.
const smallestTree = 16 << 20

// Open is an [Open]. The first call for a size of board makes ready for all
// rules that a client may name, since many name theirs with the first move. In a
// hurry nothing is evaluated beforehand.
func (g *TreeSetup) Open(s Settings) (_ engine.Engine, err error) {
	hurry := s.Hurry
	s.Hurry = false
	if g.tree != nil && s == g.settings {
		return g.tree, nil
	}
	v, err := s.variant()
	if err != nil {
		return nil, err
	}
	g.tree = nil
	if s.Size != g.settings.Size {
		g.prepare(s.Size)
	}
	net, err := g.nets.Net(v)
	if err != nil {
		return nil, fmt.Errorf("no network for %s %dx%d: %w", s.Rule, s.Size, s.Size, err)
	}
	g.settings = s
	o := g.opts
	o.Eval.Threads = s.Threads
	memory := int64(math.MaxInt64) // of the runtime; the network takes some outside of Go
	if s.Memory > 0 {
		memory = max(s.Memory/4*3, 2*smallestTree)
		o.Search.Memory = max(s.Memory/3, smallestTree) // a slab that grows stands beside the larger one
	}
	if s.Table > 0 {
		o.Search.Memory = max(s.Table, smallestTree)
	}
	debug.SetMemoryLimit(memory)
	tree, err := search.NewTree(net, o)
	if err == nil && !hurry {
		err = tree.Prepare()
	}
	if err != nil {
		return nil, err
	}
	g.tree = tree
	return tree, nil
}

// prepare makes what all rules that clients may name have in common with other
// searches: tables of their lines, and the networks that many searches share. An error
// shows when such a rule is named.
func (g *TreeSetup) prepare(size int) {
	for _, v := range variants(size) {
		if start, err := v.Start(); err == nil {
			v.Searchable(start)
		}
		model, err := g.model, error(nil)
		if model == "" {
			model, err = g.loader.DefaultModel(v)
		}
		if err == nil {
			g.loader.Ready(model)
		}
	}
}
