//go:build unix

package games

import (
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/front/gomocup"
)

// work is what a piece of code took that a search need not take: bytes allocated, and
// pages that the machine had to hand out.
func work(t *testing.T, do func()) (bytes, pages int64) {
	t.Helper()
	faults := func() int64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return int64(u.Minflt)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pages = faults()
	do()
	pages = faults() - pages
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc), pages
}

// A client that names its rule and memory together with the first position has
// nothing set up while its clock runs: what that move takes beside the search is what
// any later one takes.
func TestTheFirstMoveSetsNothingUp(t *testing.T) {
	const (
		tableMiB  = 64
		moreBytes = 256 << 10 // a line network is 3 MB, the table of a rule's lines more than one
		morePages = tableMiB << 20 / 4096 / 8
	)
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	loader := NewLoader(LoaderOptions{Threads: 1})
	for _, s := range []gomocup.Settings{
		{Rule: "renju"}, {Rule: "standard"}, {Rule: "freestyle", Memory: 400 << 20}, {Rule: "caro", Memory: 40 << 20}, {Rule: "caro-overline", Table: 32 << 20},
	} {
		s.Size = 15
		v := variant(t, VariantOptions{Rule: s.Rule, Size: s.Size})
		trees := NewGomocupTree(loader, "", TreeOptions{Solvers: DefaultSolvers()})
		defer trees.Close()
		for name, open := range map[string]gomocup.Open{
			"alpha-beta": NewGomocupClassical(ClassicalOptions{Search: alphabeta.Options{TableMiB: tableMiB}, Weights: BestWeights}).Open,
			"tree":       trees.Open,
		} {
			if _, err := open(gomocup.Settings{Rule: "freestyle", Size: s.Size}); err != nil {
				t.Fatal(err)
			}
			asked, nodes := s, int64(3_000)
			asked.Hurry = true
			if name == "tree" {
				nodes = 300
			}
			move := func(text string) func() {
				pos := parse(t, v, text)
				return func() {
					e, err := open(asked)
					if err != nil {
						t.Fatal(err)
					}
					answer(t, e, t.Context(), pos, engine.Limits{Nodes: nodes})
				}
			}
			bytes, pages := work(t, move("h8i9g9h9"))
			later, laterPages := work(t, move("h8i9g9h9g8f8"))
			if name == "tree" {
				later += 4 << 20 // the tree's own slabs, which a later move may have
			}
			if bytes > later+moreBytes || pages > laterPages+morePages {
				t.Errorf("%s, %+v: %d bytes and %d pages for the first move, %d and %d for the second", name, s, bytes, pages, later, laterPages)
			}
		}
	}
}

// Where a client waits for START, the table it has named is there afterwards.
func TestStartTakesTheMemory(t *testing.T) {
	g := NewGomocupClassical(ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
	for _, c := range []struct {
		settings gomocup.Settings
		mib      int
	}{
		{gomocup.Settings{Rule: "freestyle", Size: 15}, 1},
		{gomocup.Settings{Rule: "freestyle", Size: 15, Memory: 20 << 20}, 10},
		{gomocup.Settings{Rule: "freestyle", Size: 15, Memory: 20 << 20, Hurry: true}, 10},
		{gomocup.Settings{Rule: "freestyle", Size: 15, Memory: 40 << 20, Hurry: true}, 10}, // to be settled
		{gomocup.Settings{Rule: "freestyle", Size: 15, Memory: 40 << 20}, 20},
		{gomocup.Settings{Rule: "renju", Size: 15, Memory: 6 << 20, Hurry: true}, 3},
		{gomocup.Settings{Rule: "renju", Size: 15, Memory: 60 << 20, Hurry: true}, 3},
		{gomocup.Settings{Rule: "caro", Size: 20, Memory: 60 << 20}, 30},
	} {
		e, err := g.Open(c.settings)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.(*Classical).searcher.TableMiB(); got != c.mib {
			t.Errorf("%+v: %d MiB, want %d", c.settings, got, c.mib)
		}
	}
	e, _ := g.Open(gomocup.Settings{Rule: "caro", Size: 20, Memory: 80 << 20, Hurry: true})
	e.(gomocup.Settler).Settle(t.Context())
	if got := e.(*Classical).searcher.TableMiB(); got != 40 {
		t.Errorf("%d MiB once it was settled, want 40", got)
	}
}
