package alphabeta_test

import (
	"math"
	"testing"
	"time"

	"github.com/carozero/carozero/alphabeta"
)

// The rates are what they say, also of a search that did next to nothing.
func TestRates(t *testing.T) {
	s := alphabeta.Stats{
		Nodes: 1000, TableProbes: 8, TableHits: 6, Cutoffs: 5, FirstCutoffs: 4, Elapsed: 2500 * time.Millisecond,
	}
	for name, c := range map[string]struct{ got, want float64 }{
		"hits":                     {s.HitRate(), 0.75},
		"first cut-offs":           {s.FirstCutoffRate(), 0.8},
		"speed":                    {s.NodesPerSecond(), 400},
		"branching of three plies": {s.Branching(3), 10},
		"branching of one ply":     {s.Branching(1), 1000},
		"branching of no ply":      {s.Branching(0), 0},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	one := alphabeta.Stats{Nodes: 1, TableProbes: 1, TableHits: 1, Cutoffs: 1, FirstCutoffs: 1, Elapsed: time.Second}
	if one.HitRate() != 1 || one.FirstCutoffRate() != 1 || one.NodesPerSecond() != 1 || one.Branching(1) != 1 {
		t.Errorf("one of each: %v, %v, %v, %v", one.HitRate(), one.FirstCutoffRate(), one.NodesPerSecond(), one.Branching(1))
	}
	none := alphabeta.Stats{TableHits: 1, FirstCutoffs: 1}
	if none.HitRate() != 0 || none.FirstCutoffRate() != 0 || none.NodesPerSecond() != 0 || none.Branching(3) != 0 {
		t.Errorf("of nothing: %v, %v, %v, %v", none.HitRate(), none.FirstCutoffRate(), none.NodesPerSecond(), none.Branching(3))
	}
}
