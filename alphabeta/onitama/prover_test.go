package onitama

import (
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/onitama"
)

// winsWithin reports whether the side to move wins within so many plies, by the rules alone.
func winsWithin(b *rules.Board, plies int) bool {
	for _, m := range b.Moves(nil) {
		mover := b.ToMove()
		b.Play(m)
		won := b.Outcome() == game.WinFor(mover) || b.Outcome() == game.Undecided && plies > 2 && losesWithin(b, plies-1)
		b.Undo()
		if won {
			return true
		}
	}
	return false
}

// losesWithin reports whether the side to move loses within so many plies.
func losesWithin(b *rules.Board, plies int) bool {
	for _, m := range b.Moves(nil) {
		b.Play(m)
		lost := b.Outcome() == game.Undecided && winsWithin(b, plies-1)
		b.Undo()
		if !lost {
			return false
		}
	}
	return true
}

// What a prover finds is the shortest win, and what it denies is none, with any number of
// moves that it may play.
func TestProverAgainstTheRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var p Prover
	found, denied := map[int]int{}, map[int]int{}
	for range 2000 {
		b, err := rules.New(rules.BaseDeck.Random(rng))
		if err != nil {
			t.Fatal(err)
		}
		for range 4 + rng.IntN(30) {
			moves := b.Moves(nil)
			b.Play(moves[rng.IntN(len(moves))])
			if b.Outcome() != game.Undecided {
				b.Undo()
				break
			}
		}
		before := b.String()
		nodes := 1 << rng.IntN(13)
		m := p.Prove(t.Context(), b, nodes)
		if b.String() != before || m.Nodes > nodes {
			t.Fatalf("%+v of %d moves leaves\n%v\nof\n%v", m, nodes, b, before)
		}
		if again := p.Prove(t.Context(), b, nodes); again != m {
			t.Fatalf("%+v, then %+v of\n%v", m, again, b)
		}
		searched := min(m.Searched, 5)
		if searched > 0 && (m.Plies == 0 || m.Plies > searched) {
			denied[searched]++
			if winsWithin(b, searched) {
				t.Fatalf("%+v, but there is a win of\n%v", m, b)
			}
		}
		if m.Plies == 0 || m.Plies > 5 {
			continue
		}
		found[m.Plies]++
		if m.Plies > 1 && winsWithin(b, m.Plies-2) {
			t.Fatalf("%+v is not the shortest win of\n%v", m, b)
		}
		mover := b.ToMove()
		b.Play(m.Move)
		if m.Plies == 1 && b.Outcome() != game.WinFor(mover) || m.Plies > 1 &&
			(b.Outcome() != game.Undecided || !losesWithin(b, m.Plies-1)) {
			t.Fatalf("%+v does not win\n%v", m, before)
		}
	}
	for _, plies := range []int{1, 3, 5} {
		if found[plies] == 0 || denied[plies] == 0 {
			t.Errorf("%v wins and %v denials by plies", found, denied)
		}
	}
	t.Log(found, denied)
}
