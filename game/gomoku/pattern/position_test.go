package pattern_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

func TestConformance(t *testing.T) {
	for _, rule := range gomoku.Names() {
		for _, size := range []int{5, 7, 9} {
			t.Run(fmt.Sprintf("%s/%d", rule, size), func(t *testing.T) {
				gametest.Conformance(t, func() game.Position { return newPattern(t, rulesOf(t, rule), size) })
			})
		}
	}
}

// Along random games, with the opening restriction too, wins and candidates
// are those found by looking at every cell.
func TestWinsAndCandidates(t *testing.T) {
	for _, rule := range gomoku.Names() {
		t.Run(rule, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				rules := rulesOf(t, rule)
				rules.OpenDistance = 3 * rng.IntN(2)
				p := newPattern(t, rules, rapid.IntRange(5, 11).Draw(t, "size"))
				for range 50 {
					if got, want := p.Wins(nil), p.Board().Wins(nil); !slices.Equal(got, want) {
						t.Fatalf("wins %v, want %v\n%v", got, want, p.Board())
					}
					got := p.Candidates()
					want := candidates(p.Board())
					if got != want {
						t.Fatalf("candidates %v, want %v\n%v", got.Append(nil), want.Append(nil), p.Board())
					}
					if p.Outcome() != game.Undecided {
						return
					}
					p.Play(step(rng, p.Board()))
				}
			})
		})
	}
}

func candidates(b *gomoku.Board) (set pattern.Set) {
	n := b.Size()
	for c := range n * n {
		for dy := -2; dy <= 2; dy++ {
			for dx := -2; dx <= 2; dx++ {
				x, y := c%n+dx, c/n+dy
				if b.At(c) == gomoku.Empty && in(n, x, y) && b.At(y*n+x) != gomoku.Empty {
					set.Add(c)
				}
			}
		}
	}
	return set
}

func newPattern(t tester, r gomoku.Rules, size int) *pattern.Board {
	t.Helper()
	p, err := pattern.New(r, size)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNothingAllocates(t *testing.T) {
	for _, rule := range gomoku.Names() {
		rules := rulesOf(t, rule)
		moves := sequence(t, rules, 15, 60)
		p := newPattern(t, rules, 15)
		buf := make([]game.Move, 0, p.MaxMoves())
		run := func() {
			for _, m := range moves {
				p.Play(m)
				buf = p.Wins(buf[:0])
				for _, s := range sides {
					th, defences := p.Threats(s), p.FiveDefences(s)
					all := th.Five.Or(&defences)
					buf = all.Append(buf[:0])
				}
			}
			for range moves {
				p.Undo()
			}
		}
		run()
		if n := testing.AllocsPerRun(5, run); n != 0 {
			t.Errorf("%s: a game allocates %v times", rule, n)
		}
	}
}
