package games

import (
	"strconv"
	"testing"

	"github.com/carozero/carozero/selfplay/samples"
)

// The budget of the leaf solver follows the kind of network, and what records a
// search records the number; a budget that was asked for stays.
func TestLeafBudgetFollowsTheNetwork(t *testing.T) {
	v, err := NewVariant(VariantOptions{Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	for model, want := range map[string]int{"taught6-line16": LineLeafNodes, Uniform: LeafNodes} {
		n, err := NewLoader(LoaderOptions{}).Open(v, model)
		if err != nil {
			t.Fatal(err)
		}
		defer n.Close()
		for _, c := range []struct{ asked, want int }{{ByNetwork, want}, {0, 0}, {77, 77}} {
			tree, err := NewTree(n, TreeOptions{Solvers: SolverNodes{Leaf: c.asked, Root: 9, Replies: 8}})
			if err != nil || tree.opts.Solvers != (SolverNodes{Leaf: c.want, Root: 9, Replies: 8}) {
				t.Errorf("%s, asked for %d: %+v, %v", model, c.asked, tree.opts.Solvers, err)
			}
			setup, err := SelfplaySetup(n, SelfplayOptions{Seed: 1, Capacity: 2, SolverNodes: c.asked})
			if err != nil {
				t.Fatal(err)
			}
			if got := searchField(t, setup.Header, "solver_nodes"); got != int64(c.want) {
				t.Errorf("%s, asked for %d: the shards say %v", model, c.asked, got)
			}
		}
	}
}

// searchField returns a field of what a header says of the search.
func searchField(t *testing.T, h samples.Header, key string) any {
	t.Helper()
	for _, f := range h.Search {
		if f.Key == key {
			return f.Value
		}
	}
	t.Fatalf("no %s in %+v", key, h.Search)
	return nil
}

// The parts of a match player name the budget where neither its description nor the
// usual default does.
func TestMatchNamesTheLeafBudget(t *testing.T) {
	v, err := NewVariant(VariantOptions{Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"mcts:model=taught6-line16,playouts=5":            strconv.Itoa(LineLeafNodes),
		"mcts:model=taught6-line16,playouts=5,solver=500": "",
		"mcts:model=uniform,playouts=5":                   "",
	} {
		spec, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		setup, err := parseTree(spec)
		if err != nil {
			t.Fatal(err)
		}
		p := NewPlayers(NewLoader(LoaderOptions{}), v, 1, 0)
		parts, err := setup.parts(p)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, part := range parts {
			if part.What == "solver" {
				got = part.Name
			}
		}
		if got != want {
			t.Errorf("%s: parts %+v, want the solver %q", text, parts, want)
		}
	}
}
