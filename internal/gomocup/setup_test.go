package gomocup

import (
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/search"
)

func smallTables() *ClassicalSetup {
	return NewClassicalSetup(search.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
}

// An engine is used again under other settings, but for another number of
// threads; what cannot be set up is an error of one line.
func TestGomocupClassicalSettings(t *testing.T) {
	g := smallTables()
	var last engine.Engine
	for _, s := range []Settings{
		{Rule: "freestyle", Size: 15},
		{Rule: "freestyle", Size: 15, Table: 2 << 20},
		{Rule: "freestyle", Size: 15, Table: 2<<20 + 5},
		{Rule: "freestyle", Size: 15, Memory: 8 << 20},
		{Rule: "freestyle", Size: 15, Memory: 1},
		{Rule: "renju", Size: 15}, {Rule: "renju", Size: 22}, {Rule: "renju", Size: 22, Threads: 2},
	} {
		e, err := g.Open(s)
		if err != nil || (e == last) != (last != nil && s.Threads == 0) {
			t.Fatalf("%+v: %v; the engine of before %t", s, err, e == last)
		}
		v := enginetest.Variant(t, games.VariantOptions{Rule: s.Rule, Size: s.Size})
		enginetest.Answer(t, e, t.Context(), enginetest.Parse(t, v, "h8i9"), engine.Limits{Nodes: 50})
		last = e
	}
	for _, s := range []Settings{{Rule: "nonsense", Size: 15}, {Rule: "renju", Size: 22, Threads: 2, Table: 1 << 60}} {
		if e, err := g.Open(s); err == nil || e != nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, %v", s, e, err)
		}
	}
}

// An engine that has played by other rules, on other boards and with another
// table plays as a new one does.
func TestClassicalEnginesAreReused(t *testing.T) {
	for _, weights := range []games.Weights{games.FittedWeights, games.BestWeights} {
		reuse(t, search.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}, Weights: weights})
	}
}

func reuse(t *testing.T, o search.ClassicalOptions) {
	g := NewClassicalSetup(o)
	for _, s := range []Settings{
		{Rule: "freestyle", Size: 15}, {Rule: "renju", Size: 15}, {Rule: "caro", Size: 22}, {Rule: "standard", Size: 9},
		{Rule: "freestyle", Size: 20},
		{Rule: "freestyle", Size: 20, Table: 3 << 20}, {Rule: "caro-overline", Size: 11},
	} {
		e, err := g.Open(s)
		if err != nil {
			t.Fatal(err)
		}
		e.Forget()
		fresh, err := NewClassicalSetup(o).Open(s)
		if err != nil {
			t.Fatal(err)
		}
		pos := enginetest.Parse(t, enginetest.Variant(t, games.VariantOptions{Rule: s.Rule, Size: s.Size}), "e5f6e6e7")
		for range 3 {
			want := enginetest.Answer(t, fresh, t.Context(), pos, engine.Limits{Nodes: 900})
			got := enginetest.Answer(t, e, t.Context(), pos, engine.Limits{Nodes: 900})
			if got.Move != want.Move || got.Value != want.Value || got.Stats.Nodes != want.Stats.Nodes {
				t.Fatalf("%+v: %+v; a new engine has %+v", s, got, want)
			}
			pos.Play(want.Move)
		}
	}
}

// Settings set up an engine, and the same settings the same one.
func TestGomocupTreeSettings(t *testing.T) {
	g := NewTreeSetup(networks.NewLoader(networks.LoaderOptions{Threads: 1}), networks.Uniform, search.TreeOptions{})
	defer g.Close()
	first := Settings{Rule: "freestyle", Size: 15}
	for _, s := range []Settings{
		first, {Rule: "caro", Size: 15}, {Rule: "caro", Size: 9}, {Rule: "caro", Size: 9, Memory: 1},
		{Rule: "caro", Size: 9, Threads: 2},
	} {
		e, err := g.Open(s)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := g.Open(s); err != nil || same != e {
			t.Errorf("%+v: the same settings made a new engine; %v", s, err)
		}
		v := enginetest.Variant(t, games.VariantOptions{Rule: s.Rule, Size: s.Size})
		enginetest.Answer(t, e, t.Context(), enginetest.Parse(t, v, "e5"), engine.Limits{Nodes: 10})
	}
	if e, err := g.Open(Settings{Rule: "nonsense", Size: 15}); err == nil || e != nil {
		t.Errorf("an unknown rule is no error: %v", e)
	}
	if _, err := g.Open(first); err != nil {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// A client's limit on memory is one on the whole program, and goes with it.
func TestMemoryIsLimited(t *testing.T) {
	g := NewTreeSetup(networks.NewLoader(networks.LoaderOptions{Threads: 1}), networks.Uniform, search.TreeOptions{})
	defer g.Close()
	const total = 350 << 20
	if _, err := g.Open(Settings{Rule: "freestyle", Size: 15, Memory: total}); err != nil {
		t.Fatal(err)
	}
	if limit := debug.SetMemoryLimit(-1); limit > total {
		t.Errorf("the runtime may use %d bytes of %d", limit, total)
	}
	if tree := g.tree.Options().Search.Memory; tree > total/2 {
		t.Errorf("the tree may use %d bytes of %d", tree, total)
	}
	if _, err := g.Open(Settings{Rule: "freestyle", Size: 15}); err != nil {
		t.Fatal(err)
	}
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		t.Errorf("the runtime may use %d bytes when nothing limits it", limit)
	}
}

func TestAMissingNetworkIsNamed(t *testing.T) {
	g := NewTreeSetup(networks.NewLoader(networks.LoaderOptions{}), "no-such-net", search.TreeOptions{})
	if _, err := g.Open(Settings{Rule: "caro", Size: 15}); err == nil || !strings.Contains(err.Error(), "caro 15x15") {
		t.Errorf("error %v", err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
