package vcf_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// TestDefences replays the loss after every move that Defences leaves out.
func TestDefences(t *testing.T) {
	s := vcf.New(vcf.Options{})
	for _, name := range gomoku.Names() {
		threats := 0
		for _, b := range positions(t, name, 14, 8) {
			before := b.Board().Key()
			moves, complete := s.Defences(context.Background(), b, 2000, nil)
			if b.Board().Key() != before {
				t.Fatalf("%s: the position has changed", name)
			}
			if !complete {
				if len(moves) > 0 {
					t.Errorf("%s: moves without a threat: %v", name, moves)
				}
				continue
			}
			threats++
			if !slices.IsSorted(moves) {
				t.Errorf("%s: not in order: %v", name, moves)
			}
			plain := b.Board().Copy()
			for _, m := range plain.Moves(nil) {
				if slices.Contains(moves, m) {
					continue
				}
				plain.Play(m)
				if plain.Outcome() == game.Undecided {
					if _, err := vcf.Replay(plain, 99, strategy(vcf.VCF)); err != nil {
						t.Errorf("%s: %v is left out: %v", name, m, err)
					}
				} else if plain.Outcome() != game.WinFor(plain.ToMove()) {
					t.Errorf("%s: %v is left out and ends the game %v", name, m, plain.Outcome())
				}
				plain.Undo()
			}
		}
		if threats < 3 {
			t.Errorf("%s: only %d positions with a threat", name, threats)
		}
	}
}

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
