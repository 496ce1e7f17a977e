package vcf_test

import (
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// TestParried holds the fours that the solver does not play to the plain rules: the
// attacker threatens to win at once, the defender cannot, and has a legal reply
// that leaves the attacker without a win at once.
func TestParried(t *testing.T) {
	s := vcf.New(vcf.Options{})
	for _, name := range gomoku.Names() {
		fours := 0
		for i := range 300 {
			rng := rand.New(rand.NewPCG(47, uint64(i)))
			b := scatter(rules(t, name), 9+i%3, 0.2+0.3*rng.Float64(), rng)
			if b == nil || len(b.Wins(nil)) > 0 {
				continue
			}
			p := pattern.FromBoard(b)
			for _, m := range b.Moves(nil) {
				if s.Parried(p, m) {
					fours++
					checkParried(t, b, m)
				}
			}
		}
		captures := rules(t, name).Captures
		if captures != (fours == 0) || !captures && fours < 100 {
			t.Errorf("%s: %d fours", name, fours)
		}
	}
}

// checkParried checks one four on a board.
func checkParried(t *testing.T, b *gomoku.Board, m game.Move) {
	t.Helper()
	attacker := b.ToMove()
	b.Play(m)
	defer b.Undo()
	if b.Outcome() != game.Undecided || len(b.Wins(nil)) > 0 {
		t.Errorf("%v wins, or %v has not stopped the defender", b, m)
		return
	}
	threat := b.Copy()
	threat.Pass()
	if threat.ToMove() != attacker || len(threat.Wins(nil)) == 0 {
		t.Errorf("%v: %v threatens nothing", b, m)
	}
	for _, reply := range b.Moves(nil) {
		b.Play(reply)
		holds := b.Outcome() == game.Undecided && len(b.Wins(nil)) == 0
		b.Undo()
		if holds {
			return
		}
	}
	t.Errorf("%v: %v has no answer", b, m)
}
