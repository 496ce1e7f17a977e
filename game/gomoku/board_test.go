package gomoku_test

import (
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// failer is what the helpers need of testing.TB and rapid.T alike.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func mustRules(tb failer, name string) gomoku.Rules {
	tb.Helper()
	r, err := gomoku.Lookup(name)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func mustNew(tb failer, rule string, size int) *gomoku.Board {
	tb.Helper()
	b, err := gomoku.New(mustRules(tb, rule), size)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func mustParse(tb failer, rule string, size int, text string) *gomoku.Board {
	tb.Helper()
	b, err := gomoku.ParsePosition(mustRules(tb, rule), size, text)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// midgame returns a board of the rule set with about stones stones, played
// near the centre so that lines form, and the game not over.
func midgame(tb failer, rule string, size, stones int) *gomoku.Board {
	rng := rand.New(rand.NewPCG(7, uint64(size)))
	b := mustNew(tb, rule, size)
	for b.Ply() < stones {
		moves := b.Moves(nil)
		m := moves[rng.IntN(len(moves))]
		x, y := int(m)%size-size/2, int(m)/size-size/2
		if rng.IntN(size*size/3) < x*x+y*y {
			continue
		}
		if b.Play(m); b.Outcome() != game.Undecided {
			b.Undo()
		}
	}
	return b
}

func perRule(b *testing.B, run func(b *testing.B, board *gomoku.Board)) {
	for _, rule := range gomoku.Names() {
		for _, size := range []int{15, 19} {
			b.Run(rule+"/"+map[int]string{15: "15", 19: "19"}[size], func(b *testing.B) {
				run(b, midgame(b, rule, size, 61)) // so that First moves after the next move
			})
		}
	}
}

func BenchmarkPlayUndo(b *testing.B) {
	perRule(b, func(b *testing.B, board *gomoku.Board) {
		moves := board.Moves(nil)
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			board.Play(moves[i])
			board.Undo()
			if i++; i == len(moves) {
				i = 0
			}
		}
	})
}
