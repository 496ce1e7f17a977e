package gomocup

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
)

func smallTables() Open {
	return OpenClassical(engine.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
}

// An engine is used again under other settings, but for another number of
// threads; what cannot be set up is an error of one line.
func TestGomocupClassicalSettings(t *testing.T) {
	open := smallTables()
	var last engine.Engine
	for _, s := range []Settings{
		{Rule: "freestyle", Size: 15},
		{Rule: "freestyle", Size: 15, Table: 2 << 20},
		{Rule: "freestyle", Size: 15, Table: 2<<20 + 5},
		{Rule: "freestyle", Size: 15, Memory: 8 << 20},
		{Rule: "freestyle", Size: 15, Memory: 1},
		{Rule: "renju", Size: 15}, {Rule: "renju", Size: 22}, {Rule: "renju", Size: 22, Threads: 2},
	} {
		e, err := open(s)
		if err != nil || (e == last) != (last != nil && s.Threads == 0) {
			t.Fatalf("%+v: %v; the engine of before %t", s, err, e == last)
		}
		v := enginetest.Variant(t, games.VariantOptions{Rule: s.Rule, Size: s.Size})
		enginetest.Answer(t, e, t.Context(), enginetest.Parse(t, v, "h8i9"), engine.Limits{Nodes: 50})
		last = e
	}
	for _, s := range []Settings{{Rule: "nonsense", Size: 15}, {Rule: "renju", Size: 22, Threads: 2, Table: 1 << 60}} {
		if e, err := open(s); err == nil || e != nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v, %v", s, e, err)
		}
	}
}

// An engine that has played by other rules, on other boards and with another
// table plays as a new one does.
func TestClassicalEnginesAreReused(t *testing.T) {
	o := engine.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}, Weights: games.BestWeights}
	open := OpenClassical(o)
	for _, s := range []Settings{
		{Rule: "freestyle", Size: 15}, {Rule: "renju", Size: 15}, {Rule: "caro", Size: 22}, {Rule: "standard", Size: 9},
		{Rule: "freestyle", Size: 20},
		{Rule: "freestyle", Size: 20, Table: 3 << 20}, {Rule: "caro-overline", Size: 11},
	} {
		e, err := open(s)
		if err != nil {
			t.Fatal(err)
		}
		e.Forget()
		fresh, err := OpenClassical(o)(s)
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
	open, done := OpenTree(networks.NewLoader(networks.LoaderOptions{Threads: 1}), networks.Uniform, engine.TreeOptions{})
	first := Settings{Rule: "freestyle", Size: 15}
	for _, s := range []Settings{
		first, {Rule: "caro", Size: 15}, {Rule: "caro", Size: 9}, {Rule: "caro", Size: 9, Memory: 1},
		{Rule: "caro", Size: 9, Threads: 2},
	} {
		e, err := open(s)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := open(s); err != nil || same != e {
			t.Errorf("%+v: the same settings made a new engine; %v", s, err)
		}
		v := enginetest.Variant(t, games.VariantOptions{Rule: s.Rule, Size: s.Size})
		enginetest.Answer(t, e, t.Context(), enginetest.Parse(t, v, "e5"), engine.Limits{Nodes: 10})
	}
	if e, err := open(Settings{Rule: "nonsense", Size: 15}); err == nil || e != nil {
		t.Errorf("an unknown rule is no error: %v", e)
	}
	if _, err := open(first); err != nil {
		t.Error(err)
	}
	if err := done(); err != nil {
		t.Error(err)
	}
}

func TestAMissingNetworkIsNamed(t *testing.T) {
	open, done := OpenTree(networks.NewLoader(networks.LoaderOptions{}), "no-such-net", engine.TreeOptions{})
	if _, err := open(Settings{Rule: "caro", Size: 15}); err == nil || !strings.Contains(err.Error(), "caro 15x15") {
		t.Errorf("error %v", err)
	}
	if err := done(); err != nil {
		t.Error(err)
	}
}

// work is how many bytes a piece of code allocates that a search need not.
func work(do func()) (bytes int64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// A client that names its rule together with the first position has nothing set up while its
// clock runs: what that move takes beside the search is what any later one takes.
func TestTheFirstMoveSetsNothingUp(t *testing.T) {
	const (
		tableMiB  = 64
		moreBytes = 256 << 10 // a line network is 3 MB, the table of a rule's lines more than one
	)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	loader := networks.NewLoader(networks.LoaderOptions{Threads: 1})
	for _, s := range []Settings{
		{Rule: "renju"}, {Rule: "standard"}, {Rule: "caro"}, {Rule: "caro-overline"},
	} {
		s.Size = 15
		v := enginetest.Variant(t, games.VariantOptions{Rule: s.Rule, Size: s.Size})
		trees, done := OpenTree(loader, "", engine.TreeOptions{Solvers: games.DefaultSolvers()})
		defer done()
		for name, open := range map[string]Open{
			"alpha-beta": OpenClassical(engine.ClassicalOptions{Search: alphabeta.Options{TableMiB: tableMiB},
				Weights: games.BestWeights}),
			"tree": trees,
		} {
			if _, err := open(Settings{Rule: "freestyle", Size: s.Size}); err != nil {
				t.Fatal(err)
			}
			nodes := int64(3_000)
			if name == "tree" {
				nodes = 300
			}
			move := func(text string) func() {
				pos := enginetest.Parse(t, v, text)
				return func() {
					e, err := open(s)
					if err != nil {
						t.Fatal(err)
					}
					enginetest.Answer(t, e, t.Context(), pos, engine.Limits{Nodes: nodes})
				}
			}
			bytes := work(move("h8i9g9h9"))
			later := work(move("h8i9g9h9g8f8"))
			if name == "tree" {
				later += 4 << 20 // the tree's own slabs, which a later move may have
			}
			if bytes > later+moreBytes {
				t.Errorf("%s, %+v: %d bytes for the first move, %d for the second", name, s, bytes, later)
			}
		}
	}
}
