package pattern_test

import (
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// sequence plays a game of some length near its own stones and returns its
// moves.
func sequence(tb tester, r gomoku.Rules, size, plies int) []game.Move {
	rng := rand.New(rand.NewPCG(3, uint64(size)))
	b := newBoard(tb, r, size)
	for len(b.History()) < plies {
		if b.Play(step(rng, b)); b.Outcome() != game.Undecided {
			b.Undo()
		}
	}
	return b.History()
}

// One operation is a move played and taken back, over whole games of 60 moves.
func BenchmarkPlayUndo(b *testing.B) {
	for _, rule := range gomoku.Names() {
		b.Run(rule, func(b *testing.B) {
			moves := sequence(b, rulesOf(b, rule), 15, 60)
			p := pattern.FromBoard(newBoard(b, rulesOf(b, rule), 15))
			b.ReportAllocs()
			b.ResetTimer()
			for n := 0; n < b.N; n += len(moves) {
				for _, m := range moves {
					p.Play(m)
				}
				for range moves {
					p.Undo()
				}
			}
		})
	}
}
