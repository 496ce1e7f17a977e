package tactics

import (
	"context"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// TestHoldsHold plays every legal move of the positions again.
func TestHoldsHold(t *testing.T) {
	list, err := Holds()
	if err != nil {
		t.Fatal(err)
	}
	f := HoldFinder{Refute: 2_000, Trust: 2_000}
	for _, h := range list {
		b, err := h.Board()
		if err != nil {
			t.Fatal(err)
		}
		m, err := h.Only()
		if err != nil {
			t.Fatal(err)
		}
		if only, ok := f.Only(t.Context(), b); !ok || only != m {
			t.Errorf("%v: found %d, %v", h, only, ok)
		}
		if h2, err := parseHold(h.String()); err != nil || h2 != h {
			t.Errorf("%v reads back as %v, %v", h, h2, err)
		}
	}
	if len(list) < 150 {
		t.Errorf("%d positions", len(list))
	}
}

// TestHoldFinderBounds looks through one game under each bound. Its first
// position with a single move that holds is one that ships.
func TestHoldFinderBounds(t *testing.T) {
	r, err := gomoku.Lookup("freestyle")
	if err != nil {
		t.Fatal(err)
	}
	moves, err := gomoku.Notation{Size: 13}.ParseMoves("e5c5f7h5a6g6g7e6f6h8d4c3h6f5f8e9i5j4f9f10i7h7e4i8j9d8c7g11h12d7g4f4i6b9c8i3j6d6d9e10l6k6h4k7g3f2e8f3f1c10g10g9e11i12j11j8k8")
	if err != nil {
		t.Fatal(err)
	}
	search := func(perGame, each int) (found int) {
		f := HoldFinder{Refute: 2_000, Trust: 2_000, PerGame: perGame, Each: each}
		for _, part := range [][]game.Move{moves[:40], moves} {
			list, err := f.Game(t.Context(), r, 13, part)
			if err != nil {
				t.Fatal(err)
			}
			if found == 0 && (len(list) == 0 || list[0].Move != "c7") {
				t.Fatalf("the first game has %v", list)
			}
			found += len(list)
		}
		return found
	}
	all := search(0, 0)
	if all < 2 {
		t.Fatalf("%d positions", all)
	}
	for _, c := range []struct{ perGame, each, want int }{{1, 0, min(2, all)}, {0, 1, 1}, {1, 5, 2}, {0, all - 1, all - 1}} {
		if n := search(c.perGame, c.each); n != c.want {
			t.Errorf("at most %d of a game and %d in all: %d, want %d", c.perGame, c.each, n, c.want)
		}
	}
}

func TestReadHoldsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"freestyle 15 h8a1":      "fields",
		"freestyle x h8a1 b2":    "size",
		"chess 15 h8a1 b2":       "chess",
		"freestyle 15 h8a1 h8":   "move",
		"freestyle 15 h8a1 b2c3": "move",
		"freestyle 15 h8a1a1 b2": "move 3",
		"freestyle 15 h8a1 xyz":  "move",
	} {
		if _, err := ReadHolds(strings.NewReader("# comment\n" + text)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: %v, want line 2 and %q", text, err, want)
		}
	}
}

// TestRunMoves has engines that play the known move, and any other.
func TestRunMoves(t *testing.T) {
	problems := shipped(t)
	problems = problems[:40]
	holds, err := Holds()
	if err != nil {
		t.Fatal(err)
	}
	known := map[uint64]string{}
	wins := 0
	for _, p := range problems {
		if p.Outcome == vcf.Win && p.Plies <= LongestWin {
			b, _ := p.Board()
			known[b.Hash()] = p.Line
			wins++
		}
	}
	for _, h := range holds {
		b, _ := h.Board()
		known[b.Hash()] = h.Move
	}
	right := func(_ string, size int, b game.Position) (Choice, error) {
		moves, err := gomoku.Notation{Size: size}.ParseMoves(known[b.Hash()])
		return Choice{Move: moves[0], Playouts: 3, SolverNodes: 5}, err
	}
	s, missed, err := RunMoves(context.Background(), problems, holds, 1_000, right)
	if err != nil || len(missed) > 0 || s.Won != wins || s.Wins != wins || s.Held != len(holds) || s.Least() != 1 || s.Playouts != 3 || s.SolverMost != 5 {
		t.Errorf("%+v, missed %v, %v", s, missed, err)
	}
	wrong := func(rule string, size int, b game.Position) (Choice, error) {
		c, err := right(rule, size, b)
		for _, m := range b.Moves(nil) {
			if m != c.Move {
				return Choice{Move: m}, err
			}
		}
		return c, err
	}
	if s, missed, err = RunMoves(context.Background(), problems, holds, 1_000, wrong); err != nil || s.Held != 0 || s.Won > wins/2 || len(missed) != s.Wins+s.Holds-s.Won {
		t.Errorf("%+v, %d missed, %v", s, len(missed), err)
	}
}
