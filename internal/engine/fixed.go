package engine

import (
	"fmt"
	"slices"

	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/nn"
)

// fixedTreeArgs are the arguments of a fixed tree search. A fixed search is
// described as a player is, without what only a game gives sense or what makes
// it no function of position and budget: clocks, reuse, randomness, threads.
var fixedTreeArgs = []string{"playouts", "model", "in-flight", "memory", "solver", "vct", "parries", "lcb", "cpuct", "spread", "ptemp"}

// FixedTree is what the description of a fixed tree search says.
type FixedTree struct {
	Playouts int
	Model    string // "": the shipped one

	setup treeSetup
}

// ParseFixedTree reads the description of a fixed tree search.
func ParseFixedTree(spec Spec) (FixedTree, error) {
	f := FixedTree{setup: newTreeSetup()}
	if err := read(chosen(treeArguments, fixedTreeArgs...), spec.Args, &f.setup); err != nil {
		return f, err
	}
	f.Playouts, f.Model = f.setup.playouts, f.setup.model
	if text, given := spec.Args.Get("playouts"); f.Playouts == 0 && given {
		return f, fmt.Errorf("playouts=%s: want %s", text, option.Playouts.Range())
	} else if !given {
		f.Playouts = playerPlayouts
	}
	return f, nil
}

// Bytes returns what one such search of so many playouts may take.
func (f FixedTree) Bytes(v Variant, playouts int) int64 {
	return v.TreeBytes(playouts, f.setup.memory) + MaxInFlight*v.RowBytes()
}

// Open sets the search up with a network, whose results the table keeps if
// there is one, and the seed of its symmetries. Each position gets an empty tree.
func (f FixedTree) Open(n *Net, table *nn.CacheTable, seed uint64) (*Tree, error) {
	o := f.setup.tree(EvalOptions{Threads: 1, Seed: seed, Cache: table})
	o.Reuse = false
	return NewTree(n, o)
}

// FixedTreeArgs returns the arguments of a fixed tree search.
func FixedTreeArgs() []string { return slices.Clone(fixedTreeArgs) }

// FixedClassicalArgs returns the arguments of a fixed classical search beside
// techniques.
func FixedClassicalArgs() []string { return []string{"nodes", "table", "weights", "net"} }

// ParseFixedClassical reads the description of a fixed classical search: one
// thread, within so many nodes.
func ParseFixedClassical(spec Spec) (o ClassicalOptions, nodes int64, err error) {
	if err := spec.Args.Only(append(Techniques(), FixedClassicalArgs()...)...); err != nil {
		return o, 0, err
	}
	s, err := parseClassical(spec)
	if err != nil {
		return o, 0, err
	}
	return s.engine, s.limits.Nodes, nil
}
