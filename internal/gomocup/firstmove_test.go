package gomocup

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/search"
)

// work is how many bytes a piece of code allocates that a search need not.
func work(do func()) (bytes int64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// A client that names its rule and memory together with the first position has
// nothing set up while its clock runs: what that move takes beside the search is what
// any later one takes.
func TestTheFirstMoveSetsNothingUp(t *testing.T) {
	const (
		tableMiB  = 64
		moreBytes = 256 << 10 // a line network is 3 MB, the table of a rule's lines more than one
	)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	loader := networks.NewLoader(networks.LoaderOptions{Threads: 1})
	for _, s := range []Settings{
		{Rule: "renju"}, {Rule: "standard"}, {Rule: "freestyle", Memory: 400 << 20}, {Rule: "caro", Memory: 40 << 20},
		{Rule: "caro-overline", Table: 32 << 20},
	} {
		s.Size = 15
		v := enginetest.Variant(t, games.VariantOptions{Rule: s.Rule, Size: s.Size})
		trees := NewTreeSetup(loader, "", search.TreeOptions{Solvers: games.DefaultSolvers()})
		defer trees.Close()
		for name, open := range map[string]Open{
			"alpha-beta": NewClassicalSetup(search.ClassicalOptions{Search: alphabeta.Options{TableMiB: tableMiB},
				Weights: games.BestWeights}).Open,
			"tree": trees.Open,
		} {
			if _, err := open(Settings{Rule: "freestyle", Size: s.Size}); err != nil {
				t.Fatal(err)
			}
			asked, nodes := s, int64(3_000)
			asked.Hurry = true
			if name == "tree" {
				nodes = 300
			}
			move := func(text string) func() {
				pos := enginetest.Parse(t, v, text)
				return func() {
					e, err := open(asked)
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

// Where a client waits for START, the table it has named is there afterwards.
func TestStartTakesTheMemory(t *testing.T) {
	g := NewClassicalSetup(search.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
	for _, c := range []struct {
		settings Settings
		mib      int
	}{
		{Settings{Rule: "freestyle", Size: 15}, 1},
		{Settings{Rule: "freestyle", Size: 15, Memory: 20 << 20}, 10},
		{Settings{Rule: "freestyle", Size: 15, Memory: 20 << 20, Hurry: true}, 10},
		{Settings{Rule: "freestyle", Size: 15, Memory: 40 << 20, Hurry: true}, 10}, // to be settled
		{Settings{Rule: "freestyle", Size: 15, Memory: 40 << 20}, 20},
		{Settings{Rule: "renju", Size: 15, Memory: 6 << 20, Hurry: true}, 20},
		{Settings{Rule: "renju", Size: 15, Memory: 60 << 20, Hurry: true}, 20},
		{Settings{Rule: "caro", Size: 20, Memory: 60 << 20}, 30},
	} {
		e, err := g.Open(c.settings)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.(*search.Classical).TableMiB(); got != c.mib {
			t.Errorf("%+v: %d MiB, want %d", c.settings, got, c.mib)
		}
	}
	e, _ := g.Open(Settings{Rule: "caro", Size: 20, Memory: 80 << 20, Hurry: true})
	e.(Settler).Settle(t.Context())
	if got := e.(*search.Classical).TableMiB(); got != 40 {
		t.Errorf("%d MiB once it was settled, want 40", got)
	}
}
