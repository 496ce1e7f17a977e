package mcts

import (
	"errors"
	"testing"
)

// After an evaluation has failed there is a legal choice, whatever was taken back.
func TestChoiceAfterAFailure(t *testing.T) {
	failed := errors.New("no network")
	for seed := range uint64(60) {
		for good := 2; good < 8; good++ {
			pos, calls := board(t, "freestyle", 9, "e5e6"), 0
			e := &testEvaluator{eval: mocked(seed, false), capacity: 8, run: func() error {
				if calls++; calls > good {
					return failed
				}
				return nil
			}}
			s := New(Options{InFlight: 8}, e, nil)
			s.SetPosition(pos)
			if err := s.Search(t.Context(), Limits{Playouts: 32, Gumbel: Gumbel{Considered: 8}, Seed: seed}); err != nil && !errors.Is(err, failed) {
				t.Fatal(err)
			}
			var r Result
			if m := s.Choice(&r); !pos.Legal(m) {
				t.Fatalf("seed %d, %d good evaluations: %v is chosen", seed, good, m)
			}
		}
	}
}
