package mcts

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
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

// drawsFirst proves the first move of a root drawn.
type drawsFirst struct{ NoSolver }

func (drawsFirst) Refute(_ context.Context, _ game.Position, _ []game.Move, after []Solution) {
	after[0] = Solution{Proof: Draw, Plies: Endless}
}

// Playouts that look beyond a proven draw count as the draw, however many are in flight and
// also where they turn to another move since the first one is being evaluated: the worse
// moves have no visits but for what waits, and do not pull the mean down.
func TestDrawsAreHeldInFlight(t *testing.T) {
	for _, inFlight := range []int{1, 4, 8, 16, 32, 64} {
		pos := gametest.NewMNK(7, 7, 7)
		e := &testEvaluator{capacity: 64, eval: func(pos game.Position, _ []game.Move, out *nn.Result) {
			equal(out, []float32{-0.5, 0.5}[pos.ToMove()])
		}}
		s := New(Options{InFlight: inFlight}, e, drawsFirst{})
		s.SetPosition(pos)
		if err := s.Search(t.Context(), Limits{Playouts: 400}); err != nil {
			t.Fatal(err)
		}
		var r Result
		s.Result(&r)
		drawn := 0
		for _, c := range r.Children {
			if c.Move == 0 {
				drawn = int(c.Visits)
			}
		}
		if drawn < 390 || r.RootQ < -0.012 || r.Move != 0 {
			t.Errorf("%d in flight: %d of %d visits of the drawn move, mean %v", inFlight, drawn, r.Visits, r.RootQ)
		}
	}
}
