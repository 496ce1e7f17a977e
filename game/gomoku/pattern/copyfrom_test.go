package pattern

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// A board that copies others, one after the other, equals one built from the stones:
// positions of one game forwards and backwards, of other games, setups with any
// stones, and its own position with another side to move.
func TestCopyFrom(t *testing.T) {
	everyRule(t, gomoku.MaxSize, func(t *rapid.T, rules gomoku.Rules, size int, rng *rand.Rand) {
		b, _ := New(rules, size)
		walk, _ := New(rules, size)
		for range 12 {
			switch k := rng.IntN(10); {
			case k == 0:
				walk = FromBoard(setup(t, rng, walk.board))
			case k == 1: // play on b itself leaves frames
				if b.Outcome() == game.Undecided {
					b.Play(walkMove(rng, b))
				}
			case k < 4 && len(walk.board.History()) > 0:
				walk.Undo()
			default:
				for range 1 + rng.IntN(4) {
					if walk.Outcome() == game.Undecided {
						walk.Play(walkMove(rng, walk))
					}
				}
			}
			b.CopyFrom(walk.board)
			checkCopy(t, b, walk.board)
		}
	})
}

// checkCopy fails unless b has the position and history of want and is independent of
// it.
func checkCopy(t *rapid.T, b *Board, want *gomoku.Board) {
	if diff := differs(b, FromBoard(want)); diff != "" {
		t.Fatalf("copied and built afresh differ in %s\n%v", diff, want)
	}
	if b.Ply() != want.Ply() || b.Outcome() != want.Outcome() || b.board.Last() != want.Last() {
		t.Fatalf("ply %d, %v after %v, want %d, %v after %v",
			b.Ply(), b.Outcome(), b.board.Last(), want.Ply(), want.Outcome(), want.Last())
	}
	if want.Last() == game.NoMove {
		return
	}
	key := want.Key()
	b.Undo()
	sameAsFresh(t, b)
	if want.Key() != key {
		t.Fatal("Undo on the board changed the one that it copied")
	}
	b.CopyFrom(want)
}

// setup returns a setup of b's rules and size: b's stones with the other side
// to move, a few of them changed, or any stones.
func setup(t *rapid.T, rng *rand.Rand, b *gomoku.Board) *gomoku.Board {
	for {
		s := gomoku.Setup{ToMove: b.ToMove().Other()}
		changes := []int{0, 3, 1000}[rng.IntN(3)]
		for c := range b.Size() * b.Size() {
			s.Stones = append(s.Stones, b.At(c))
		}
		for range changes {
			s.Stones[rng.IntN(len(s.Stones))] = gomoku.Stone(rng.IntN(3))
		}
		if b.Rules().Captures {
			s.Captured = [2]int{2 * rng.IntN(5), 2 * rng.IntN(5)}
		}
		if to, err := gomoku.NewSetup(b.Rules(), b.Size(), s); err == nil {
			return to
		}
		if b.Outcome() != game.Undecided { // its stones may make no position
			b, _ = gomoku.New(b.Rules(), b.Size())
		}
	}
}
