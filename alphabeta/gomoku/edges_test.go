package gomoku

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
)

// winsWithin reports whether the side to move wins within so many plies, by all moves of
// both sides and the plain rules. Only moves that leave it a five are tried before the last
// one: no other threat wins in three plies.
func winsWithin(b *rules.Board, plies int) bool {
	if len(b.Wins(nil)) > 0 {
		return true
	}
	if plies < 3 {
		return false
	}
	return slices.ContainsFunc(b.Moves(nil), func(m game.Move) bool {
		b.Play(m)
		defer b.Undo()
		return b.Outcome() == game.Undecided && len(b.AppendWinsFor(b.ToMove().Other(), nil)) > 1 && losesWithin(b, plies-1)
	})
}

// losesWithin reports whether every move of the side to move lets its opponent win within
// so many plies.
func losesWithin(b *rules.Board, plies int) bool {
	return !slices.ContainsFunc(b.Moves(nil), func(m game.Move) bool {
		b.Play(m)
		defer b.Undo()
		return b.Outcome() != game.Undecided || !winsWithin(b, plies-1)
	})
}

// What a complete list leaves out loses within four plies by the plain rules, a position
// that is said to be lost loses within the plies that are told, and every listed move is
// legal; also on small boards that are nearly full, where renju may leave a side no move.
func TestEdgesLoseNoDefence(t *testing.T) {
	for _, name := range rules.Names() {
		r := lookup(t, name)
		e := NewEdges(r)
		if e == nil {
			if !r.Captures && !r.DoubleThree {
				t.Errorf("%s has no lists", name)
			}
			continue
		}
		rng := rand.New(rand.NewPCG(3, 3))
		boards := dense{Rules: r, Size: 15, Seed: 33}
		var complete, left, lost int
		for i := range 3 * *lists {
			b, _ := nextBoard(t, &boards)
			if i%3 > 0 {
				size := 6 + rng.IntN(4)
				b = walk(t, r, size, size*size/4+rng.IntN(size*size/2), rng)
			}
			if b.Outcome() != game.Undecided || len(b.Wins(nil)) > 0 {
				continue
			}
			list, all := e.List(b, nil)
			plain := b.Board().Copy()
			if plies := e.Lost(b); plies > 0 {
				if lost++; !losesWithin(plain, plies) {
					t.Fatalf("%s: not lost in %d\n%v to move\n%v", name, plies, b.ToMove(), plain)
				}
			}
			if all {
				complete++
			}
			for _, m := range plain.Moves(nil) {
				if slices.Contains(list, m) || !all {
					continue
				}
				left++
				plain.Play(m)
				if plain.Outcome() != game.Undecided || !winsWithin(plain, 3) {
					t.Fatalf("%s: %d is left out and does not lose\n%v", name, m, plain)
				}
				plain.Undo()
			}
			for _, m := range list {
				if !plain.Legal(m) {
					t.Fatalf("%s: %d is listed and not legal\n%v", name, m, plain)
				}
			}
		}
		if complete < *lists/4 || left == 0 || lost == 0 {
			t.Errorf("%s: %d complete lists, %d moves left out, %d lost", name, complete, left, lost)
		}
		t.Logf("%s: %d complete lists, %d moves left out, %d lost", name, complete, left, lost)
	}
}
