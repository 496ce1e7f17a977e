package gomocup

import (
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine"

	"github.com/carozero/carozero/internal/engine/enginetest"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
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
		{Rule: "freestyle", Size: 15}, {Rule: "renju", Size: 15}, {Rule: "caro", Size: 22}, {Rule: "standard", Size: 9}, {Rule: "freestyle", Size: 20},
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
