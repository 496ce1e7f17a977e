package search

import (
	"reflect"
	"testing"
	"time"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/enginetest"
	"github.com/carozero/carozero/internal/engine/games"
)

// With a period, reports come in the middle of rounds too, from both halves if they take
// turns; and the answer is the one without them.
func TestReportsWithinRounds(t *testing.T) {
	for _, o := range variants {
		v := enginetest.Variant(t, o)
		pos := start(t, v)
		for _, threads := range []int{1, 2} {
			think := func(l engine.Limits) engine.Answer {
				s := BothSettings{Share: 0.5, Rate: defaultRate, Exchange: true, Check: true, Threads: threads}
				b := NewBoth(tree(t, v, TreeOptions{Solvers: games.DefaultSolvers(), Time: new(ticking)}), classical(t, v), s)
				l.Nodes, l.Detail = 2000, true
				return timeless(enginetest.Answer(t, b, t.Context(), pos, l))
			}
			reports, playouts, depths := 0, map[int64]bool{}, map[int]bool{}
			got := think(engine.Limits{Every: time.Nanosecond, Report: func(a *engine.Answer) {
				enginetest.Check(t, a, pos.Clone()) // pos is being searched
				reports++
				playouts[a.Halves.Playouts] = true
				depths[a.Halves.Other.Depth] = true
			}})
			if got.Proof.Result == engine.Unknown && (len(playouts) <= fixedRounds || threads < 2 && len(depths) < 3) {
				t.Errorf("%s, %d threads: %d reports, after %d numbers of playouts and %d iterations", v, threads, reports, len(playouts), len(depths))
			}
			if want := think(engine.Limits{}); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %d threads: %+v, without reports %+v", v, threads, got, want)
			}
		}
	}
}
