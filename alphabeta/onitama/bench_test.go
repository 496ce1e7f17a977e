package onitama_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/carozero/carozero/alphabeta"
	rules "github.com/carozero/carozero/game/onitama"
)

// start is the position of the speed figures.
const start = "Monkey,Crane/Tiger,Crab/Dragon"

// BenchmarkDepth searches the start position to a depth, table and all from
// nothing.
func BenchmarkDepth(b *testing.B) {
	for _, depth := range []int{8, 10, 12, 13} {
		b.Run(fmt.Sprint(depth), func(b *testing.B) {
			pos, err := rules.ParsePosition(start)
			if err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			s := searcher(b, alphabeta.Options{Clock: func() int64 { return int64(time.Since(began)) }})
			var r alphabeta.Result
			for b.Loop() {
				s.Clear()
				if r, err = s.Search(context.Background(), pos, alphabeta.Limits{Depth: depth}); err != nil {
					b.Fatal(err)
				}
			}
			st := &r.Stats
			b.ReportMetric(float64(st.Nodes), "nodes")
			b.ReportMetric(float64(st.Nodes)/1e6*float64(b.N)/b.Elapsed().Seconds(), "Mnodes/s")
			b.ReportMetric(100*float64(st.QuiescenceNodes)/float64(st.Nodes), "quiescence%")
			b.ReportMetric(100*st.HitRate(), "tablehit%")
			b.ReportMetric(100*st.FirstCutoffRate(), "firstcut%")
			b.ReportMetric(st.Branching(r.Depth), "branching")
			b.Logf("%v %v", r.Score, rules.Notation{}.FormatMoves(r.Lines[0].Moves))
		})
	}
}
