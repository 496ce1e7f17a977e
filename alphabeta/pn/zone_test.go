package pn

import (
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// After every reply that is not in the zone the attacker wins by fours, and the zone
// leaves most replies out.
func TestZone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, rule := range gomoku.Names() {
		zones, left, all := 0, 0, 0
		for range 1_500 {
			b := scatter(t, rng, rule, 9, 12+rng.IntN(16))
			if b.Pass(); len(b.Wins(nil)) > 0 {
				continue // the defender wins first
			}
			s := New(Options{})
			s.begin(t.Context(), b)
			s.budget = 1 << 40
			before := b.Board().Key()
			zone, ok, wins := s.zone()
			if b.Board().Key() != before || len(s.list) != 0 {
				t.Fatalf("%s: the position was not left as it was", rule)
			}
			if !ok {
				if wins && !b.Board().Rules().Captures && b.Board().Rules().Renju == [2]bool{} {
					t.Errorf("%s: a win without a zone in\n%v", rule, b.Board())
				}
				continue
			}
			zones++
			check := vcf.New(vcf.Options{})
			for _, m := range b.Moves(nil) {
				all++
				if zone.Has(int(m)) {
					left++
					continue
				}
				b.Play(m)
				if b.Outcome() != game.Undecided || check.Decide(t.Context(), b, vcf.VCF, 1_000_000).Outcome != vcf.Win {
					t.Fatalf("%s: reply %s is not in the zone, and saves the game in\n%v", rule, gomoku.Notation{Size: 9}.FormatMove(m), b.Board())
				}
				b.Undo()
			}
		}
		b := board(t, rule, 9, "")
		if r := b.Board().Rules(); r.Captures || r.Renju != [2]bool{} {
			if zones > 0 {
				t.Errorf("%s: a zone, but stones elsewhere may change what is legal", rule)
			}
			continue
		}
		if zones < 40 || left*2 > all {
			t.Errorf("%s: %d zones that hold %d of %d replies", rule, zones, left, all)
		}
	}
}
