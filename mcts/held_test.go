package mcts

import (
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
)

// A child that was looked at while its parent held a proven draw may be proven
// later. What its proof changes about those visits, which count as draws for the
// parent, must not drive the parent's mean out of range.
func TestProofsOfHeldChildrenKeepMeansInRange(t *testing.T) {
	for play := range uint64(6) {
		for seed := range uint64(60) {
			var pos game.Position = gametest.NewMNK(3, 3, 3)
			rng := rand.New(rand.NewPCG(play, 0))
			for range rng.IntN(7) {
				moves := pos.Moves(nil)
				pos.Play(moves[rng.IntN(len(moves))])
				if pos.Outcome() != game.Undecided {
					pos.Undo()
					break
				}
			}
			e := testEvaluator{eval: mocked(seed, true), capacity: 25}
			o := Options{InFlight: 1 + int(seed%8), CInit: 0.625, FPUReduction: 0.002}
			s, r := search(t, pos, o, &e, Limits{Playouts: 900})
			check(t, s)
			if err := s.Advance(r.Move); err != nil {
				t.Fatal(err)
			}
			if err := s.Search(t.Context(), Limits{Playouts: 200}); err == nil {
				check(t, s)
			}
		}
	}
}
