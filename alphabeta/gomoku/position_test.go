package gomoku

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// lookup returns the rule set of a name.
func lookup(tb testing.TB, name string) rules.Rules {
	tb.Helper()
	r, err := rules.Lookup(name)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// walk returns a position that is not over, after at most that many random
// moves, most of them near stones.
func walk(tb testing.TB, r rules.Rules, size, plies int, rng *rand.Rand) *pattern.Board {
	tb.Helper()
	b, err := pattern.New(r, size)
	if err != nil {
		tb.Fatal(err)
	}
	for range plies {
		moves := b.Moves(nil)
		near := b.Candidates()
		m := moves[rng.IntN(len(moves))]
		for range 20 {
			if near.Has(int(m)) {
				break
			}
			m = moves[rng.IntN(len(moves))]
		}
		b.Play(m)
		if b.Outcome() != game.Undecided {
			b.Undo()
			break
		}
	}
	return b
}

// eachRule runs a property for every rule set, on positions of random sizes.
func eachRule(t *testing.T, check func(t *rapid.T, b *pattern.Board, rng *rand.Rand)) {
	for _, name := range rules.Names() {
		r := lookup(t, name)
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
				size := rapid.IntRange(7, 15).Draw(rt, "size")
				check(rt, walk(t, r, size, rapid.IntRange(0, size*size*2/3).Draw(rt, "plies"), rng), rng)
			})
		})
	}
}

func bind(tb testing.TB, b game.Position) alphabeta.Heuristics {
	tb.Helper()
	heuristics, err := Game{}.Bind(b)
	if err != nil {
		tb.Fatal(err)
	}
	return heuristics
}
