package vcf_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// clusters returns positions of 15x15 with stones in the middle, in which the
// search goes on for a while.
func clusters(tb testing.TB, name string, n int) (boards []*pattern.Board) {
	rng := rand.New(rand.NewPCG(7, 11))
	r := rules(tb, name)
	s := vcf.New(vcf.Options{})
	for len(boards) < n {
		b := cluster(r, 15, 30+rng.IntN(30), rng)
		if b == nil || len(b.Wins(nil)) > 0 {
			continue
		}
		p := pattern.FromBoard(b)
		if s.Solve(context.Background(), p, vcf.VCF, 20000).Nodes > 200 {
			boards = append(boards, p)
		}
	}
	return boards
}

// cluster returns a random position with stones on the inner cells, nil if it is
// over.
func cluster(r gomoku.Rules, size, stones int, rng *rand.Rand) *gomoku.Board {
	s := gomoku.Setup{Stones: make([]gomoku.Stone, size*size)}
	for i := range stones {
		for {
			c := (2+rng.IntN(size-4))*size + 2 + rng.IntN(size-4)
			if s.Stones[c] == gomoku.Empty {
				s.Stones[c] = gomoku.FirstStone + gomoku.Stone(i%2)
				break
			}
		}
	}
	b, err := gomoku.NewSetup(r, size, s)
	if err != nil || b.Outcome() != 0 {
		return nil
	}
	return b
}

func BenchmarkSolve(b *testing.B) {
	for _, name := range gomoku.Names() {
		for _, kind := range []vcf.Kind{vcf.VCF, vcf.VCT} {
			b.Run(name+"/"+kind.String(), func(b *testing.B) {
				boards := clusters(b, name, 20)
				s := vcf.New(vcf.Options{})
				nodes := 0
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					nodes += s.Solve(context.Background(), boards[i%len(boards)], kind, 20000).Nodes
				}
				b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
				b.ReportMetric(float64(nodes)/float64(b.N), "nodes/op")
			})
		}
	}
}
