package gomoku_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/game/gomoku"
)

func TestConformance(t *testing.T) {
	for _, rule := range gomoku.Names() {
		for _, size := range []int{5, 7, 9} {
			t.Run(fmt.Sprintf("%s/%d", rule, size), func(t *testing.T) {
				gametest.Conformance(t, func() game.Position { return mustNew(t, rule, size) })
			})
		}
	}
}

// everyRule runs a check on random draws for each rule set.
func everyRule(t *testing.T, check func(t *rapid.T, rule string)) {
	for _, rule := range gomoku.Names() {
		t.Run(rule, func(t *testing.T) { rapid.Check(t, func(t *rapid.T) { check(t, rule) }) })
	}
}

// setUpAgain sets the position of b up from nothing.
func setUpAgain(b *gomoku.Board) (*gomoku.Board, error) {
	return gomoku.NewSetup(b.Rules(), b.Size(), b.Setup(0))
}

// drawBoard draws a board with stones at random densities that is not over, or
// nil where the stones drawn make none.
func drawBoard(t *rapid.T, rule string, minSize, maxSize int) *gomoku.Board {
	if b := drawSetup(t, rule, minSize, maxSize); b != nil && b.Outcome() == game.Undecided {
		return b
	}
	return nil
}

// drawSetup draws a board that may be over, or nil where both sides have won.
func drawSetup(t *rapid.T, rule string, minSize, maxSize int) *gomoku.Board {
	size := rapid.IntRange(minSize, maxSize).Draw(t, "size")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "stones"), 0))
	most := 45
	if size > 11 { // or nearly every board would hold lines of both
		most = 25
	}
	first := rapid.IntRange(5, most).Draw(t, "percent of first")
	second := rapid.IntRange(0, most-5).Draw(t, "percent of second")
	s := gomoku.Setup{Stones: make([]gomoku.Stone, size*size), ToMove: game.Side(rng.IntN(2))}
	for c := range s.Stones {
		switch n := rng.IntN(100); {
		case n < first:
			s.Stones[c] = gomoku.FirstStone
		case n < first+second:
			s.Stones[c] = gomoku.SecondStone
		}
	}
	r := mustRules(t, rule)
	if r.Captures {
		s.Captured = [2]int{2 * rng.IntN(5), 2 * rng.IntN(5)}
	}
	b, err := gomoku.NewSetup(r, size, s)
	if err != nil {
		return nil
	}
	return b
}

func sameBoard(t *rapid.T, b *gomoku.Board, r *reference) {
	if diff := r.differs(b); diff != "" {
		t.Fatalf("%s %v to move, captured %d %d: %s\n%v", r.rule, b.ToMove(), b.Captured(0), b.Captured(1), diff, b)
	}
}

// The board and the reference agree along random games, from the empty board
// and from random stones; Undo restores all of it; the key is the one of the
// same position set up from nothing.
func TestBoardPlaysAsTheReference(t *testing.T) {
	everyRule(t, func(t *rapid.T, rule string) {
		b := drawBoard(t, rule, 5, 9)
		if b == nil {
			b = mustNew(t, rule, 6)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "moves"), 0))
		r := referenceOf(b)
		sameBoard(t, b, r)
		states := []*reference{r}
		for b.Outcome() == game.Undecided && len(states) < 40 {
			moves := b.Moves(nil)
			m := moves[rng.IntN(len(moves))]
			after := b.KeyAfter(m)
			b.Play(m)
			r = r.play(m)
			sameBoard(t, b, r)
			sameKey(t, b)
			if after != b.Key() {
				t.Fatalf("key %x, foreseen %x\n%v", b.Key(), after, b)
			}
			states = append(states, r)
		}
		for i := len(states) - 2; i >= 0; i-- {
			b.Undo()
			sameBoard(t, b, states[i])
			sameKey(t, b)
		}
	})
}

// After a pass the board is the same position with the other side to move, and
// a second one takes it back.
func TestPass(t *testing.T) {
	everyRule(t, func(t *rapid.T, rule string) {
		b := drawBoard(t, rule, 5, 9)
		if b == nil || b.Pending() {
			return
		}
		before, moves := b.Key(), b.Moves(nil)
		b.Pass()
		again, err := setUpAgain(b)
		if err != nil {
			t.Fatal(err)
		}
		if again.Key() != b.Key() || again.Outcome() == game.Undecided && !slices.Equal(again.Moves(nil), b.Moves(nil)) {
			t.Fatalf("passed: moves %v, set up: %v\n%v", b.Moves(nil), again.Moves(nil), b)
		}
		b.Pass()
		if b.Key() != before || !slices.Equal(b.Moves(nil), moves) {
			t.Fatalf("a second pass does not take the first back\n%v", b)
		}
	})
}

// sameKey sets the position of b up again and compares key and outcome.
func sameKey(t *rapid.T, b *gomoku.Board) {
	again, err := setUpAgain(b)
	if err != nil {
		if b.Outcome() != game.Undecided { // the loser may have a line too
			return
		}
		t.Fatalf("set up again: %v\n%v", err, b)
	}
	if again.Key() != b.Key() {
		t.Fatalf("key %x, set up from nothing %x\n%v", b.Key(), again.Key(), b)
	}
	if again.Outcome() != b.Outcome() || again.Reason() != b.Reason() {
		t.Fatalf("outcome %v (%v), set up from nothing %v (%v)\n%v",
			b.Outcome(), b.Reason(), again.Outcome(), again.Reason(), b)
	}
}

// Wins are the moves that win by the reference.
func TestWinsAgreeWithTheReference(t *testing.T) {
	everyRule(t, func(t *rapid.T, rule string) {
		b := drawBoard(t, rule, 5, 10)
		if b == nil {
			return
		}
		r := referenceOf(b)
		var want []game.Move
		for _, m := range r.moves() {
			if r.play(m).result == r.turn {
				want = append(want, m)
			}
		}
		if got := b.Wins(nil); !slices.Equal(got, want) {
			t.Fatalf("%v to move, captured %d %d: wins %v, want %v\n%v",
				b.ToMove(), b.Captured(0), b.Captured(1), got, want, b)
		}
	})
}

// WinsFor, AppendWinsFor, AllowedFor and AppendWinningRuns answer for both sides, on boards of
// every size, decided ones included.
func TestWinsForAgreesWithTheReference(t *testing.T) {
	everyRule(t, func(t *rapid.T, rule string) {
		b := drawSetup(t, rule, gomoku.MinSize, gomoku.MaxSize)
		if b == nil {
			return
		}
		r := referenceOf(b)
		for _, side := range []game.Side{game.First, game.Second} {
			if line := r.anyFive(letter(side)); line && b.Outcome() == game.Undecided && rule != "school42" {
				t.Fatalf("%v has a winning line, and the outcome is %v\n%v", side, b.Outcome(), b)
			}
			checkWinsFor(t, b, r, side)
			var runs []game.Move
			for c, stone := range r.grid {
				if stone == letter(side) && r.five(c%r.size, c/r.size, stone) {
					runs = append(runs, game.Move(c))
				}
			}
			if got := b.AppendWinningRuns(side, []game.Move{7, 3}); !slices.Equal(got[2:], runs) || got[0] != 7 ||
				got[1] != 3 {
				t.Fatalf("winning runs of %v: %v, want %v\n%v", side, got, runs, b)
			}
		}
	})
}

func checkWinsFor(t *rapid.T, b *gomoku.Board, r *reference, side game.Side) {
	var want []game.Move
	c := letter(side)
	for cell := range r.grid {
		x, y := cell%r.size, cell/r.size
		allowed := r.allowed(cell, c)
		if b.AllowedFor(side, cell) != allowed {
			t.Fatalf("AllowedFor(%v, %d) is %v\n%v", side, cell, !allowed, b)
		}
		wins := false
		if allowed {
			after := r.clone()
			after.set(x, y, c)
			wins = after.five(x, y, c) ||
				r.rule == "school42" && r.captured[index(c)]+len(r.pairs(x, y, c)) >= 10
		}
		if wins {
			want = append(want, game.Move(cell))
		}
		if b.WinsFor(side, cell) != wins {
			t.Fatalf("WinsFor(%v, %d) is %v\n%v", side, cell, !wins, b)
		}
	}
	if got := b.AppendWinsFor(side, nil); !slices.Equal(got, want) {
		t.Fatalf("AppendWinsFor(%v) is %v, want %v\n%v", side, got, want, b)
	}
}

func TestPerftAgreesWithTheReference(t *testing.T) {
	starts := map[string]string{
		"freestyle": "c3c4d3d4b3b4e3f3a6b6c6d6", "standard": "c3c4d3d4b3b4f3b1a6b6c6d6",
		"renju": "c3a1d3a6c4f6e4b6f1c6", "caro": "c3c4d3d4e3b3f3b4b6e4a5a1",
		"caro-overline": "c3c4d3d4e3b3f3b4b6e4a5a1", "caro-edge": "a1c4b1d4c1e2d1b4b6b2d6a5",
		"caro-edge-overline": "a1c4b1d4c1e2d1b4b6b2d6a5", "school42": "c3c4d3d4b3b4e5f6a6a5",
	}
	for _, rule := range gomoku.Names() {
		t.Run(rule, func(t *testing.T) {
			b := mustParse(t, rule, 6, starts[rule])
			r := referenceOf(b)
			for depth := range 4 {
				if got, want := game.CountLeaves(b, depth), r.perft(depth); got != want {
					t.Errorf("perft %d: %d, want %d", depth, got, want)
				} else if d, err := game.Perft(t.Context(), b, depth, game.PerftOptions{}); depth > 0 && (err != nil ||
					d.Leaves != want) {
					t.Errorf("divide %d: %d, %v, want %d", depth, d.Leaves, err, want)
				}
			}
		})
	}
}
