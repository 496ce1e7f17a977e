package pattern

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// differs says in which part two boards differ, "" if in none.
func differs(a, b *Board) string {
	switch {
	case a.board.Key() != b.board.Key():
		return "the position"
	case a.lines != b.lines:
		return "the lines"
	case a.counts != b.counts:
		return fmt.Sprintf("the counts: %v, %v", a.counts, b.counts)
	case a.sets != b.sets:
		return "the sets"
	case a.near != b.near:
		return "the cells near stones"
	}
	for c := range a.geo.cells {
		one, other := a.cells[c], b.cells[c]
		if one.class(0) == Occupied { // the lines are those from before
			one, other = one>>classesAt, other>>classesAt
		}
		if one != other {
			return fmt.Sprintf("cell %d: %x, %x", c, one, other)
		}
	}
	return ""
}

func sameAsFresh(t *rapid.T, b *Board) {
	if diff := differs(b, FromBoard(b.board)); diff != "" {
		t.Fatalf("kept up to date and built afresh differ in %s, after %v\n%v", diff, b.board.History(), b.board)
	}
}

// walkMove returns a legal move, mostly near a stone.
func walkMove(rng *rand.Rand, b *Board) game.Move {
	moves := b.Moves(nil)
	near := b.Candidates()
	m := moves[rng.IntN(len(moves))]
	for range 20 {
		if near.Has(int(m)) || rng.IntN(10) == 0 {
			break
		}
		m = moves[rng.IntN(len(moves))]
	}
	return m
}

// everyRule runs a check on random boards of each rule set, up to a size.
func everyRule(t *testing.T, largest int, check func(t *rapid.T, rules gomoku.Rules, size int, rng *rand.Rand)) {
	for _, rule := range gomoku.Names() {
		rules, err := gomoku.Lookup(rule)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(rule, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				size := rapid.IntRange(gomoku.MinSize, largest).Draw(t, "size")
				check(t, rules, size, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
			})
		})
	}
}

// A walk of plays and undos leaves the board as if it had been built from its
// stones, at every step; undoing all restores the start exactly.
func TestWalk(t *testing.T) {
	everyRule(t, gomoku.MaxSize, func(t *rapid.T, rules gomoku.Rules, size int, rng *rand.Rand) {
		b, err := New(rules, size)
		if err != nil {
			t.Fatal(err)
		}
		played := 0
		for range 40 {
			if played > 0 && rng.IntN(4) == 0 || b.Outcome() != game.Undecided {
				b.Undo()
				played--
			} else {
				b.Play(walkMove(rng, b))
				played++
			}
			sameAsFresh(t, b)
		}
		for ; played > 0; played-- {
			b.Undo()
		}
		fresh, _ := New(rules, size)
		if diff := differs(b, fresh); diff != "" {
			t.Fatalf("all moves undone, and %s are not as they were", diff)
		}
		if len(b.frames) != 1 || len(b.changes) != 0 {
			t.Fatalf("all moves undone: %d frames and %d changes are left", len(b.frames), len(b.changes))
		}
	})
}
