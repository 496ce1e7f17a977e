package pattern_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// The points of both sides are those of their definition, found on the stones alone,
// and what is closed is what the rules forbid.
func TestThreatsByDefinition(t *testing.T) {
	for _, rule := range gomoku.Names() {
		t.Run(rule, func(t *testing.T) {
			found := map[string]int{}
			rapid.Check(t, func(t *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				size := rapid.IntRange(5, 12).Draw(t, "size")
				if b := clutter(rng, rulesOf(t, rule), size); b != nil {
					sameThreats(t, b, pattern.FromBoard(b), found)
				}
			})
			for _, kind := range []string{"five", "four", "open four"} {
				if found[kind] == 0 {
					t.Errorf("no %s point in any position", kind)
				}
			}
			if rulesOf(t, rule).Captures && found["captured"] == 0 {
				t.Error("nothing can be captured in any position")
			}
		})
	}
}

// sameThreats compares what p says with the definition on b, and counts what there
// is of each kind.
func sameThreats(t tester, b *gomoku.Board, p *pattern.Board, found map[string]int) {
	t.Helper()
	var forbidden pattern.Set
	for _, m := range b.Forbidden(nil) {
		forbidden.Add(int(m))
	}
	if closed := p.Closed(b.ToMove()); closed != forbidden {
		t.Fatalf("closed %v, forbidden are %v\n%v", closed.Append(nil), forbidden.Append(nil), b)
	}
	d := newDefinition(b)
	for _, s := range sides {
		five, four, openFour, captured := d.threats(s)
		th := p.Threats(s)
		for _, c := range []struct {
			kind      string
			got, want pattern.Set
		}{
			{"five", th.Five, five}, {"four", th.Four, four}, {"open four", th.OpenFour, openFour},
			{"captured", p.Capturable(s.Other()), captured},
		} {
			if c.got != c.want {
				t.Fatalf("%s points of %v: %v, by definition %v\n%v", c.kind, s, c.got.Append(nil), c.want.Append(nil), b)
			}
			found[c.kind] += c.want.Len()
		}
	}
}

// FiveDefences are the cells after which, by play on the board, no completing cell
// is left.
func TestFiveDefencesByPlay(t *testing.T) {
	for _, rule := range gomoku.Names() {
		t.Run(rule, func(t *testing.T) {
			found := 0
			for seed := range uint64(120) {
				rng := rand.New(rand.NewPCG(seed, 1))
				b := clutter(rng, rulesOf(t, rule), 5+rng.IntN(8))
				if b == nil {
					continue
				}
				p := pattern.FromBoard(b)
				for _, side := range sides {
					got, want := p.FiveDefences(side), defences(b, side)
					if got != want {
						t.Fatalf("defences of %v's four: %v, want %v\n%v", side, got.Append(nil), want.Append(nil), b)
					}
					found += got.Len()
				}
			}
			if found == 0 {
				t.Error("no four was to be defended against")
			}
		})
	}
}

func defences(b *gomoku.Board, side game.Side) (set pattern.Set) {
	j, s := judge{b.Rules(), side}, stonesOf(b)
	if !j.anyCompletes(s) {
		return set
	}
	for c, stone := range s.cells {
		if stone != gomoku.Empty {
			continue
		}
		s.cells[c] = gomoku.StoneOf(side.Other())
		if !j.anyCompletes(s) {
			set.Add(c)
		}
		s.cells[c] = gomoku.Empty
	}
	return set
}
