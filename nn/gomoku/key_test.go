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
		rules := rulesOf(t, rapid.SampledFrom(gomoku.Names()).Draw(t, "rule"))
		rules.OpenDistance = rapid.SampledFrom([]int{0, 2}).Draw(t, "open")
		size := rapid.IntRange(5, 7).Draw(t, "size")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 8))
		boards := []*gomoku.Board{newBoard(t, rules, size)}
		for range 6 {
			b := playout(t, rng, rules, size, rng.IntN(4))
			boards = append(boards, b, turn(t, b, 0), turn(t, b, rng.IntN(8)), changed(t, rng, b))
		}
		b := playout(t, rng, rules, size, size*size/2)
		boards = append(boards, b, turn(t, b, 0), changed(t, rng, b), changed(t, rng, b))

		e := newEncoderFor(t, boards[0])
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
func changed(t tester, rng *rand.Rand, b *gomoku.Board) *gomoku.Board {
	t.Helper()
	s := gomoku.Setup{
		ToMove:   b.ToMove(),
		Captured: [2]int{b.Captured(game.First), b.Captured(game.Second)},
	}
	for c := range b.Size() * b.Size() {
		s.Stones = append(s.Stones, b.At(c))
	}
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
	var all []gomoku.Rules
	for _, name := range gomoku.Names() {
		r := rulesOf(t, name)
		all = append(all, r)
		r.OpenDistance = 3
		all = append(all, r)
	}
	owner := map[nn.Key]string{}
	for _, r := range all {
		b := newBoard(t, r, 9)
		b.Play(40)
		key := newEncoderFor(t, b).Key(b)
		if key[0] == key[1] {
			t.Errorf("the halves of a key of %s are equal", r.Name)
		}
		if other, ok := owner[key]; ok {
			t.Errorf("%s and %s share a key", r.Name, other)
		}
		owner[key] = r.Name

		r.Name = "another"
		if newEncoderFor(t, newBoard(t, r, 9)).Key(b) != key {
			t.Errorf("the name is part of the key")
		}
	}
	small, large := newBoard(t, all[0], 9), newBoard(t, all[0], 10)
	if newEncoderFor(t, small).Key(small) == newEncoderFor(t, large).Key(large) {
		t.Error("two sizes share a key")
	}
}
