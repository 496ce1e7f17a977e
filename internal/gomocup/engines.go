package gomocup

import (
	"fmt"
	"math"
	"runtime/debug"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
)

// ClassicalBudget returns the options of a dialogue with the classical search whose
// clients give the clocks.
func ClassicalBudget() Options {
	const (
		endless = 1 << 40 // bounds nothing, where only clocks or a depth were given
		quick   = 10_000  // a few hundredths of a second
	)
	return Options{Nodes: endless, Quick: quick}
}

// variant returns what is played under the settings.
func (s Settings) variant() (games.Variant, error) {
	return games.NewVariant(games.VariantOptions{Rule: s.Rule, Size: s.Size})
}

// variants returns the variants that clients may name on boards of a size.
func variants(size int) (list []games.Variant) {
	for _, r := range ruleNumbers {
		if v, err := (Settings{Rule: r.name, Size: size}).variant(); err == nil {
			list = append(list, v)
		}
	}
	return list
}

// OpenClassical returns an [Open] of classical searches. o.Search.Threads and TableMiB (64
// for 0) are for clients that name none. A table for which there is no memory is an error.
// The first call for a size of board makes ready for all rules that a client may name,
// since many name theirs with the first move.
func OpenClassical(o engine.ClassicalOptions) Open {
	const defaultTableMiB = 64
	if o.Search.TableMiB == 0 {
		o.Search.TableMiB = defaultTableMiB
	}
	var (
		e   *engine.Classical // nil: none was set up
		now Settings          // of e
	)
	return func(s Settings) (_ engine.Engine, err error) {
		if e != nil && s == now {
			return e, nil
		}
		v, err := s.variant()
		if err != nil {
			return nil, err
		}
		own := o
		own.Search.TableMiB = tableMiB(s, o.Search.TableMiB)
		if s.Threads > 0 {
			own.Search.Threads = min(s.Threads, int(option.SearchThreads.Max))
		}
		fresh := e == nil || s.Threads != now.Threads
		if fresh {
			e = nil // its table need not stand beside the new one
			e, err = engine.NewClassical(v, own)
		} else {
			err = e.Resize(own.Search.TableMiB)
		}
		if fresh || s.Size != now.Size {
			for _, other := range variants(s.Size) {
				if err == nil {
					err = e.Adopt(other, own)
				}
				if err == nil {
					err = e.Prepare()
				}
			}
		}
		if err == nil {
			err = e.Adopt(v, own)
		}
		if err != nil {
			e = nil
			return nil, err
		}
		now = s
		return e, nil
	}
}

// tableMiB returns the size of the table: what the client named, or half of the
// memory that the program may use, up to 1 GiB.
func tableMiB(s Settings, usual int) int {
	switch {
	case s.Table > 0:
		return int(max(s.Table>>20, 1))
	case s.Memory > 0:
		return int(max(min(s.Memory/2>>20, 1024), 1))
	}
	return usual
}

// OpenTree returns an [Open] of tree searches, whose networks loader opens; model is as in
// [networks.Loader.Open]. The first call for a size of board makes ready for all rules that
// a client may name, since many name theirs with the first move. The caller calls done in
// the end, which frees the networks.
func OpenTree(loader *networks.Loader, model string, o engine.TreeOptions) (open Open, done func() error) {
	o.Reuse = true
	nets := networks.NewNets(loader, model)
	var (
		tree *engine.Tree // nil: none was set up
		now  Settings     // of tree
	)
	return func(s Settings) (engine.Engine, error) {
		if tree != nil && s == now {
			return tree, nil
		}
		v, err := s.variant()
		if err != nil {
			return nil, err
		}
		if tree = nil; s.Size != now.Size {
			shareTables(loader, model, s.Size)
		}
		net, err := nets.Net(v)
		if err != nil {
			return nil, fmt.Errorf("no network for %s %dx%d: %w", s.Rule, s.Size, s.Size, err)
		}
		now = s
		own := o
		own.Eval.Threads = s.Threads
		own.Search.Memory = limitMemory(s, o.Search.Memory)
		t, err := engine.NewTree(net, own)
		if err == nil {
			err = t.Prepare()
		}
		if err != nil {
			return nil, err
		}
		tree = t
		return tree, nil
	}, nets.Close
}

// limitMemory keeps the runtime to the memory that a client named, of which the network takes
// some outside of Go, and returns the memory of a tree, usual where the client named none.
func limitMemory(s Settings, usual int64) int64 {
	const smallestTree = 16 << 20
	runtime, tree := int64(math.MaxInt64), usual
	if s.Memory > 0 {
		runtime = max(s.Memory/4*3, 2*smallestTree)
		tree = max(s.Memory/3, smallestTree) // a slab that grows stands beside the larger one
	}
	if s.Table > 0 {
		tree = max(s.Table, smallestTree)
	}
	debug.SetMemoryLimit(runtime)
	return tree
}

// shareTables makes what all rules that clients may name have in common with other searches:
// tables of their lines, and the networks that many searches share. An error shows when such
// a rule is named.
func shareTables(loader *networks.Loader, model string, size int) {
	for _, v := range variants(size) {
		if start, err := v.Start(); err == nil {
			v.Searchable(start)
		}
		name, err := model, error(nil)
		if model == "" {
			name, err = loader.DefaultModel(v)
		}
		if err == nil {
			loader.Ready(name)
		}
	}
}
