package games

import (
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/front/gomocup"
)

// Settings set up an engine, and the same settings the same one.
func TestGomocupTreeSettings(t *testing.T) {
	g := NewGomocupTree(NewLoader(LoaderOptions{Threads: 1}), Uniform, TreeOptions{})
	defer g.Close()
	first := gomocup.Settings{Rule: "freestyle", Size: 15}
	for _, s := range []gomocup.Settings{
		first, {Rule: "caro", Size: 15}, {Rule: "caro", Size: 9}, {Rule: "caro", Size: 9, Memory: 1}, {Rule: "caro", Size: 9, Threads: 2},
	} {
		e, err := g.Open(s)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := g.Open(s); err != nil || same != e {
			t.Errorf("%+v: the same settings made a new engine; %v", s, err)
		}
		v := variant(t, VariantOptions{Rule: s.Rule, Size: s.Size})
		answer(t, e, t.Context(), parse(t, v, "e5"), engine.Limits{Nodes: 10})
	}
	if e, err := g.Open(gomocup.Settings{Rule: "nonsense", Size: 15}); err == nil || e != nil {
		t.Errorf("an unknown rule is no error: %v", e)
	}
	if _, err := g.Open(first); err != nil {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// The budget of a move is exact, whatever the tree has inherited, and nothing is
// inherited from the set-up.
func TestGomocupTreeInherits(t *testing.T) {
	g := NewGomocupTree(NewLoader(LoaderOptions{Threads: 1}), Uniform, TreeOptions{})
	defer g.Close()
	e, err := g.Open(gomocup.Settings{Rule: "caro", Size: 15})
	if err != nil {
		t.Fatal(err)
	}
	pos := parse(t, variant(t, VariantOptions{Rule: "caro", Size: 15}), "")
	for turn := range 3 {
		a := answer(t, e, t.Context(), pos, engine.Limits{Nodes: 137})
		if a.Stats.Nodes != 137 || (a.Stats.Visits == 137) != (turn == 0) {
			t.Fatalf("turn %d: %d playouts, %d visits", turn, a.Stats.Nodes, a.Stats.Visits)
		}
		pos.Play(a.Move)
		pos.Play(a.Line[1])
	}
}

// A client's limit on memory is one on the whole program, and goes with it.
func TestMemoryIsLimited(t *testing.T) {
	g := NewGomocupTree(NewLoader(LoaderOptions{Threads: 1}), Uniform, TreeOptions{})
	defer g.Close()
	const total = 350 << 20
	if _, err := g.Open(gomocup.Settings{Rule: "freestyle", Size: 15, Memory: total}); err != nil {
		t.Fatal(err)
	}
	if limit := debug.SetMemoryLimit(-1); limit > total {
		t.Errorf("the runtime may use %d bytes of %d", limit, total)
	}
	if tree := g.tree.searcher.Options().Memory; tree > total/2 {
		t.Errorf("the tree may use %d bytes of %d", tree, total)
	}
	if _, err := g.Open(gomocup.Settings{Rule: "freestyle", Size: 15}); err != nil {
		t.Fatal(err)
	}
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		t.Errorf("the runtime may use %d bytes when nothing limits it", limit)
	}
}

func TestAMissingNetworkIsNamed(t *testing.T) {
	g := NewGomocupTree(NewLoader(LoaderOptions{}), "no-such-net", TreeOptions{})
	if _, err := g.Open(gomocup.Settings{Rule: "caro", Size: 15}); err == nil || !strings.Contains(err.Error(), "caro 15x15") {
		t.Errorf("error %v", err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}
