package gomoku

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// slowTraps returns the cells where side makes a four with one gap, which its opponent
// may not take, by playing every move under the plain rules.
func slowTraps(b *rules.Board, side game.Side) (cells []int) {
	b = b.Copy()
	if b.ToMove() != side {
		b.Pass()
	}
	for _, m := range b.Moves(nil) {
		b.Play(m)
		if b.Outcome() == game.Undecided {
			if gaps := b.AppendWinsFor(side, nil); len(gaps) == 1 && !b.AllowedFor(side.Other(), int(gaps[0])) {
				cells = append(cells, int(m))
			}
		}
		b.Undo()
	}
	return cells
}

// noFives reports whether the game goes on and neither side can win at once.
func noFives(b *pattern.Board) bool {
	return b.Outcome() == game.Undecided && b.Count(game.First, pattern.Five)+b.Count(game.Second, pattern.Five) == 0
}

// checkTraps compares traps.find with its slow twin for both sides. If the side to move
// has a trap, the solver must win by it or as fast, whatever its budget; it reports that.
func checkTraps(t interface{ Fatalf(string, ...any) }, b *pattern.Board) (wins bool) {
	fast := traps{b, b.Board().Rules().Renju}
	for side := range game.Side(2) {
		key := b.Board().Key()
		got, found := fast.find(side)
		if b.Board().Key() != key {
			t.Fatalf("the position has changed\n%v", b.Board())
		}
		want := slowTraps(b.Board(), side)
		if found != (len(want) > 0) || found && !slices.Contains(want, got) {
			t.Fatalf("%v: %d, %v, want one of %v; %v to move\n%v", side, got, found, want, b.ToMove(), b.Board())
		}
		if !found || side != b.ToMove() {
			continue
		}
		wins = true
		if s := newSolver(b).Solve(0, 0); !s.Won || s.Plies != 3 || s.Nodes != 0 {
			t.Fatalf("%+v, want a win in 3 by one of %v\n%v", s, want, b.Board())
		}
	}
	return wins
}

func TestTrapsEqualTheSlowTwin(t *testing.T) {
	r := lookup(t, "renju")
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		if b := walk(t, r, 9+rng.IntN(7), 20+rng.IntN(50), rng); noFives(b) {
			checkTraps(rt, b)
		}
	})
	boards, wins := dense{Rules: r, Size: 15, Seed: 14}, 0
	for range 10 * *lists {
		if b, _ := nextBoard(t, &boards); noFives(b) && checkTraps(t, b) {
			wins++
		}
	}
	if wins == 0 {
		t.Error("no board has a trap of the side to move")
	}
	t.Logf("%d wins by a trap", wins)
}
