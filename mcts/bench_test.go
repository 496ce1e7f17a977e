package mcts

import (
	"context"
	"fmt"
	"testing"

	"github.com/carozero/carozero/nn"
)

// BenchmarkPlayouts measures the search itself on 19x19 freestyle gomoku, with
// equal priors and with priors as uneven as a network's. One operation is one
// playout.
func BenchmarkPlayouts(b *testing.B) {
	sharp := nn.NewMock(1)
	sharp.Immediate, sharp.Sharp = true, true
	evaluators := []struct {
		name string
		nn.Evaluator
	}{{"uniform", nn.NewUniform(1)}, {"sharp", sharp}}
	for _, e := range evaluators {
		for _, playouts := range []int{2000, 20000} {
			b.Run(fmt.Sprintf("%s/%d", e.name, playouts), func(b *testing.B) {
				benchmarkSearch(b, e, playouts)
			})
		}
	}
}

func benchmarkSearch(b *testing.B, eval nn.Evaluator, playouts int) {
	pos := board(b, "freestyle", 19, "")
	s := New(Options{}, eval, nil)
	b.ReportAllocs()
	b.ResetTimer()
	for left := b.N; left > 0; left -= playouts {
		if err := s.SetPosition(pos); err != nil {
			b.Fatal(err)
		}
		if err := s.Search(context.Background(), Limits{Playouts: min(left, playouts)}); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	m := s.Memory()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "playouts/s")
	b.ReportMetric(m.NodeBytes, "B/node")
	b.ReportMetric(m.EdgeBytes, "B/edge")
}

// BenchmarkCompact measures what a tree of 20,000 playouts costs to copy.
func BenchmarkCompact(b *testing.B) {
	s, _ := search(b, board(b, "freestyle", 15, "h8"), Options{}, nn.NewMock(1), Limits{Playouts: 20000})
	for b.Loop() {
		s.spare.reset()
		s.tree.compact(0, &s.spare)
	}
}
