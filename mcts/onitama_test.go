package mcts

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/nn"
)

// TestOnitama plays a game that shares nothing with gomoku: pieces move,
// positions repeat, and one may have to pass.
func TestOnitama(t *testing.T) {
	for seed := range uint64(6) {
		pos, err := onitama.New(onitama.RandomDeal(rand.New(rand.NewPCG(seed, 0))))
		if err != nil {
			t.Fatal(err)
		}
		mock := nn.NewMock(seed)
		s := New(Options{InFlight: 4}, mock, nil)
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		for range 60 {
			r := more(t, s, Limits{Visits: 200, Noise: true, Seed: seed})
			if !pos.Legal(r.Move) {
				t.Fatalf("illegal move %d", r.Move)
			}
			if wins := pos.Wins(nil); len(wins) > 0 && (r.Proven != Win || r.ProofPlies != 1 || !slices.Contains(wins, r.Move)) {
				t.Fatalf("%v in %d plies, one of %v wins at once", r.Proven, r.ProofPlies, wins)
			}
			pos.Play(r.Move)
			if err := s.Advance(r.Move); err != nil {
				t.Fatal(err)
			}
			if pos.Outcome() != game.Undecided {
				break
			}
		}
	}
}
