package tactics

import (
	"context"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
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
	if len(list) < 15 {
		t.Errorf("%d positions", len(list))
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
	known := map[[2]uint64]string{}
	wins := 0
	for _, p := range problems {
		if p.Outcome == vcf.Win && p.Plies <= LongestWin {
			b, _ := p.Board()
			known[b.Key()] = p.Line
			wins++
		}
	}
	for _, h := range holds {
		b, _ := h.Board()
		known[b.Key()] = h.Move
	}
	right := func(b *gomoku.Board) (Choice, error) {
		moves, err := gomoku.Notation{Size: b.Size()}.ParseMoves(known[b.Key()])
		return Choice{Move: moves[0], Playouts: 3, SolverNodes: 5}, err
	}
	s, missed, err := RunMoves(context.Background(), problems, holds, 1_000, right)
	if err != nil || len(missed) > 0 || s.Won != wins || s.Wins != wins || s.Held != len(holds) || s.Least() != 1 || s.Playouts != 3 || s.SolverMost != 5 {
		t.Errorf("%+v, missed %v, %v", s, missed, err)
	}
	wrong := func(b *gomoku.Board) (Choice, error) {
		c, err := right(b)
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
