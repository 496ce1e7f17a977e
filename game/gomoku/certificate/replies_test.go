package certificate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// scatter returns an undecided position with stones at random, nil if they make none.
func scatter(t *testing.T, name string, rng *rand.Rand) *gomoku.Board {
	t.Helper()
	r, err := gomoku.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	size := 7 + rng.IntN(4)
	s := gomoku.Setup{Stones: make([]gomoku.Stone, size*size), ToMove: game.Side(rng.IntN(2))}
	if r.Captures {
		s.Captured = [2]int{2 * rng.IntN(5), 2 * rng.IntN(5)}
	}
	density := 0.2 + 0.5*rng.Float64()
	for c := range s.Stones {
		if rng.Float64() < density {
			s.Stones[c] = gomoku.FirstStone + gomoku.Stone(rng.IntN(2))
		}
	}
	b, err := gomoku.NewSetup(r, size, s)
	if err != nil || b.Outcome() != game.Undecided {
		return nil
	}
	return b
}

// After every reply that is left out the winner wins at once, or has won already, in
// positions of all rule sets with the loser to move; and a position is refused exactly
// if a reply wins that could have been left out.
func TestLeftOut(t *testing.T) {
	for _, name := range gomoku.Names() {
		threats, left, pending := 0, 0, 0
		for i := 0; threats < 1500; i++ {
			b := scatter(t, name, rand.New(rand.NewPCG(61, uint64(i))))
			if b == nil {
				continue
			}
			winner := b.ToMove().Other()
			w := newWalk(t.Context(), b, winner, nil)
			if err := w.list(); err != nil {
				if len(b.Wins(nil)) == 0 {
					t.Fatalf("%s: refused without a win of the loser: %v\n%v", name, err, b)
				}
				continue
			}
			if all := b.Moves(nil); len(w.replies) < len(all) {
				threats++
				if b.Pending() {
					pending++
				}
				left += checkLeftOut(t, b, winner, all, w.replies)
			}
		}
		t.Logf("%s: %d positions, %d with a five pending; %d replies left out", name, threats, pending, left)
		if name == "school42" && pending < 20 {
			t.Errorf("only %d positions with a five pending", pending)
		}
	}
}

// checkLeftOut plays the moves of all that are not in listed, and returns their number.
func checkLeftOut(t *testing.T, b *gomoku.Board, winner game.Side, all, listed []game.Move) (left int) {
	t.Helper()
	for _, r := range all {
		if slices.Contains(listed, r) {
			continue
		}
		left++
		b.Play(r)
		if b.Outcome() != game.WinFor(winner) && len(b.Wins(nil)) == 0 {
			t.Fatalf("%s: %v was left out and does not lose at once\n%v", b.Rules().Name, r, b)
		}
		b.Undo()
	}
	return left
}
