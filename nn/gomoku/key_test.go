package gomoku

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/nn"
	"pgregory.net/rapid"
)

// TestKeyCoversTheInput compares positions of few stones on small boards, many
// of which are equal, with their copies and with positions one stone away:
// for one side to move, keys are equal exactly if planes, globals and legal
// moves are.
func TestKeyCoversTheInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := must(gomoku.Lookup(rapid.SampledFrom(gomoku.Names()).Draw(t, "rule")))
		rules.OpenDistance = rapid.SampledFrom([]int{0, 2}).Draw(t, "open")
		size := rapid.IntRange(5, 7).Draw(t, "size")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 8))
		boards := []*gomoku.Board{must(gomoku.New(rules, size))}
		for range 6 {
			b := playout(rng, rules, size, rng.IntN(4))
			boards = append(boards, b, turn(b, 0), turn(b, rng.IntN(8)), changed(rng, b))
		}
		b := playout(rng, rules, size, size*size/2)
		boards = append(boards, b, turn(b, 0), changed(rng, b), changed(rng, b))

		e := encoderFor(boards[0])
		for _, a := range boards {
			for _, b := range boards {
				same := a.ToMove() == b.ToMove() && encode(e, a, 0).equal(encode(e, b, 0)) &&
					slices.Equal(a.Moves(nil), b.Moves(nil))
				if got := e.Key(a) == e.Key(b); got != same {
					t.Fatalf("equal keys: %v, equal inputs: %v\n%v%v", got, same, a, b)
				}
			}
		}
	})
}

// changed returns b with one cell, or what one side has captured, changed; b's
// own position if that would be none.
func changed(rng *rand.Rand, b *gomoku.Board) *gomoku.Board {
	s := b.Setup(0)
	if b.Rules().Captures && rng.IntN(2) == 0 {
		s.Captured[rng.IntN(2)] ^= 2
	} else {
		s.Stones[rng.IntN(len(s.Stones))] = gomoku.Stone(rng.IntN(3))
	}
	if to, err := gomoku.NewSetup(b.Rules(), b.Size(), s); err == nil && to.Outcome() == game.Undecided {
		return to
	}
	return b
}

// TestKeyCoversTheRules gives the same position to encoders of all rule sets
// and of rules that differ in one parameter.
func TestKeyCoversTheRules(t *testing.T) {
	owner := map[nn.Key]string{}
	for _, name := range gomoku.Names() {
		for _, open := range []int{0, 3} {
			for size := 9; size <= 10; size++ {
				r := must(gomoku.Lookup(name))
				r.OpenDistance = open
				b := must(gomoku.New(r, size))
				b.Play(game.Move(size * size / 2))
				key := encoderFor(b).Key(b)
				if owner[key] != "" || key[0] == key[1] {
					t.Errorf("%s, open %d, size %d: the key %x, as %q", name, open, size, key, owner[key])
				}
				owner[key] = name
				if r.Name = "another"; must(New(r, size)).Key(b) != key {
					t.Error("the name is part of the key")
				}
			}
		}
	}
}
