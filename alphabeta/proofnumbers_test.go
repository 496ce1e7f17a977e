package alphabeta

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Sums of random moves are what their definition says, whatever the index of the first.
func TestSumsByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		moves := make([]ProofNumbers, 1+rng.IntN(6))
		for i := range moves {
			switch rng.IntN(8) {
			case 0:
				moves[i] = Proven
			case 1:
				moves[i] = Disproven
			default:
				moves[i] = ProofNumbers{1 + rng.Uint32N(9), 1 + rng.Uint32N(9)}
			}
		}
		first := rng.IntN(3)
		sum := SumProofs(first)
		for i, n := range moves {
			sum.Add(first+i, n)
		}
		got := sum.Choice()
		least := slices.MinFunc(moves, func(a, b ProofNumbers) int { return int(a.PN) - int(b.PN) })
		greatest := slices.MaxFunc(moves, func(a, b ProofNumbers) int { return int(a.DN) - int(b.DN) })
		open := 0
		for _, n := range moves {
			if n.DN > 0 {
				open++
			}
		}
		want := ProofNumbers{least.PN, 0}
		if open > 0 {
			want.DN = min(InfiniteProof, greatest.DN+uint32(open)-1)
		}
		if got.ProofNumbers != want || least.PN < InfiniteProof && got.Best != first+slices.Index(moves,
			moves[slices.IndexFunc(moves, func(n ProofNumbers) bool { return n.PN == least.PN })]) {
			t.Fatalf("%v from %d: %v, want %v", moves, first, got, want)
		}
		if once := ChooseProof(moves); once.ProofNumbers != got.ProofNumbers || once.Best != got.Best-first ||
			once.next != got.next {
			t.Fatalf("%v: %v at once and %v one by one", moves, once, got)
		}
	}
}

// The best move may become worse than the next best one by a quarter and one before the
// search turns to that; the other number may grow by what is left of it.
func TestThresholds(t *testing.T) {
	for next, want := range map[uint32]uint32{0: 1, 1: 2, 3: 4, 4: 6, 7: 9, 8: 11, 100: 126,
		InfiniteProof - 1: InfiniteProof,
		InfiniteProof:     InfiniteProof} {
		if got := (ProofChoice{ProofNumbers: ProofNumbers{2, 9}, next: next}).Thresholds(Unbounded,
			ProofNumbers{2, 4}); got != (ProofNumbers{want, InfiniteProof - 5}) {
			t.Errorf("%d: %v, want %d", next, got, want)
		}
	}
	c := ProofChoice{ProofNumbers: ProofNumbers{2, 9}, next: 100}
	if got := c.Thresholds(ProofNumbers{50, 12}, ProofNumbers{2, 4}); got != (ProofNumbers{50, 7}) {
		t.Errorf("within the position's thresholds: %v", got)
	}
	if got := c.Turned(); got != (ProofNumbers{9, 2}) {
		t.Errorf("turned: %v", got)
	}
}
