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
		if a.cells[c] != b.cells[c] {
			return fmt.Sprintf("cell %d: %x, %x", c, a.cells[c], b.cells[c])
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

// walkRule runs a check on every position of a walk of plays and undos
// under each rule set.
func walkRule(t *testing.T, largest int, start func(*Board), check func(*rapid.T, *Board)) {
	everyRule(t, largest, func(t *rapid.T, rules gomoku.Rules, size int, rng *rand.Rand) {
		b, err := New(rules, size)
		if err != nil {
			t.Fatal(err)
		}
		start(b)
		fresh, played := b.Clone().(*Board), 0
		for range 45 {
			if played > 0 && rng.IntN(4) == 0 || b.Outcome() != game.Undecided {
				b.Undo()
				played--
			} else {
				b.Play(walkMove(rng, b))
				played++
			}
			check(t, b)
		}
		for ; played > 0; played-- {
			b.Undo()
		}
		if diff := differs(b, fresh); diff != "" || len(b.frames) != 1 || len(b.changes) != 0 {
			t.Fatalf("all moves undone: %s; %d frames and %d changes are left", diff, len(b.frames), len(b.changes))
		}
	})
}

// A walk of plays and undos leaves the board as if it had been built from its
// stones, at every step; undoing all restores the start exactly.
func TestWalk(t *testing.T) {
	walkRule(t, gomoku.MaxSize, func(*Board) {}, sameAsFresh)
}
