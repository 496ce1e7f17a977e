package gomoku_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

func TestNotation(t *testing.T) {
	n := gomoku.Notation{Size: 15}
	moves, err := n.ParseMoves("h8A1o15")
	if err != nil || len(moves) != 3 || moves[0] != 7*15+7 || moves[1] != 0 || moves[2] != 224 {
		t.Errorf("moves %v, %v", moves, err)
	}
	if got := n.FormatMoves(moves); got != "h8a1o15" {
		t.Errorf("formatted %q", got)
	}
	if got := n.FormatMove(game.NoMove); got != "none" {
		t.Errorf("NoMove is %q", got)
	}
	for _, text := range []string{"h", "8", "h0", "h08", "h16", "p1", "h8 i9", "h8,", "h-1", "h8i", "h999999999999", "é1",
		"h8\xff"} {
		_, err := n.ParseMoves(text)
		if !errors.Is(err, gomoku.ErrNotation) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestParsePositionErrors(t *testing.T) {
	for _, test := range []struct {
		rule, text string
		want       error
		names      string
	}{
		{"caro", "h8h8", gomoku.ErrIllegal, "move 2, h8"},
		{"freestyle", "a1a2b1b2c1c2d1d2e1e2", gomoku.ErrOver, "move 10, e2"},
		{"renju", "h8h9i7i9h10i6i11i12g9", gomoku.ErrIllegal, "move 9, g9"},
		{"school42", "h8a1i8a3j10c1j11c3j8", gomoku.ErrIllegal, "move 9, j8"},
		{"caro", "h8z9", gomoku.ErrNotation, `move 2, "z9"`},
	} {
		_, err := gomoku.ParsePosition(mustRules(t, test.rule), 15, test.text)
		if !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.names) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %s: %v", test.rule, test.text, err)
		}
	}
}

func TestDiagram(t *testing.T) {
	r := mustRules(t, "caro")
	b, err := gomoku.ParseDiagram(r, 0, "....X\n.....\n. . O . .\n\n.....\r\nX....\n", gomoku.DiagramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if b.Size() != 5 || b.At(24) != gomoku.FirstStone || b.At(12) != gomoku.SecondStone || b.At(0) != gomoku.FirstStone {
		t.Errorf("read\n%v", b)
	}
	if b.ToMove() != game.Second || b.Ply() != 3 || b.Last() != game.NoMove {
		t.Errorf("%v to move at ply %d after %d", b.ToMove(), b.Ply(), b.Last())
	}
	again, err := gomoku.ParseDiagram(r, 5, b.String(), gomoku.DiagramOptions{})
	if err != nil || again.Key() != b.Key() {
		t.Errorf("read again: %v\n%v", err, again)
	}
	empty := strings.Repeat(".....\n", 5)
	b, err = gomoku.ParseDiagram(mustRules(t, "school42"), 5, empty, gomoku.DiagramOptions{Captured: [2]int{2, 2}})
	if err != nil || b.Captured(game.First) != 2 || b.ToMove() != game.First {
		t.Errorf("captured: %v\n%v", err, b)
	}
}

func TestDecidedSetups(t *testing.T) {
	top := func(row string) string { return row + "\n" + strings.Repeat(".......\n", 6) }
	full := strings.Repeat("XXOOXXO\nOOXXOOX\n", 3) + "XXOOXXO\n"
	for _, test := range []struct {
		name, rule, text string
		toMove           game.Side
		captured         [2]int
		want             game.Outcome
		reason           game.Reason
	}{
		{"line", "caro", top("XXXXX.."), game.Second, [2]int{}, game.FirstWins, game.Line},
		{"line of the side to move", "caro", top("XXXXX.."), game.First, [2]int{}, game.FirstWins, game.Line},
		{"blocked five", "caro", top("OXXXXXO"), game.Second, [2]int{}, game.Undecided, game.NoReason},
		{"six", "standard", top("XXXXXX."), game.Second, [2]int{}, game.Undecided, game.NoReason},
		{"six of white", "renju", top("OOOOOO."), game.First, [2]int{}, game.SecondWins, game.Line},
		{"ten stones", "school42", top("......."), game.First, [2]int{10, 0}, game.FirstWins, game.Capture},
		{"ten stones of the other", "school42", top("......."), game.First, [2]int{0, 10}, game.SecondWins, game.Capture},
		{"unbroken", "school42", top("XXXXX.."), game.Second, [2]int{}, game.FirstWins, game.Line},
		{"full", "freestyle", full, game.Second, [2]int{}, game.Draw, game.Full},
	} {
		b, err := gomoku.ParseDiagram(mustRules(t, test.rule), 7, test.text,
			gomoku.DiagramOptions{ToMove: new(test.toMove), Captured: test.captured})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		} else if b.Outcome() != test.want || b.Reason() != test.reason {
			t.Errorf("%s: %v (%v), want %v (%v)", test.name, b.Outcome(), b.Reason(), test.want, test.reason)
		}
	}
}

func TestSymmetries(t *testing.T) {
	for size := gomoku.MinSize; size <= gomoku.MaxSize; size++ {
		for sym := range gomoku.Symmetries {
			seen := make([]bool, size*size)
			for c := range seen {
				x, y := c%size, c/size
				if sym >= 4 {
					x, y = y, x
				}
				for range sym % 4 {
					x, y = size-1-y, x
				}
				image := gomoku.Transform(size, sym, c)
				if image != y*size+x || seen[image] {
					t.Fatalf("size %d, symmetry %d: cell %d goes to %d", size, sym, c, image)
				}
				seen[image] = true
			}
		}
	}
}

func FuzzParsePosition(f *testing.F) {
	f.Add(uint8(3), uint8(15), "h8h9i8i9j8j9k8k9")
	f.Add(uint8(2), uint8(15), "h8h9i7i9h10i6i11i12g9")
	f.Add(uint8(7), uint8(19), "h8A1v22a0")
	f.Add(uint8(0), uint8(5), "a1a2b1b2c1c2d1d2e1e2")
	f.Fuzz(func(t *testing.T, rule, size uint8, text string) {
		names := gomoku.Names()
		r := mustRules(t, names[int(rule)%len(names)])
		b, err := gomoku.ParsePosition(r, int(size), text)
		if err != nil {
			checkError(t, err)
			return
		}
		n := gomoku.Notation{Size: b.Size()}
		if got := n.FormatMoves(b.History()); got != strings.ToLower(text) {
			t.Errorf("%q was played as %q", text, got)
		}
	})
}

func FuzzParseDiagram(f *testing.F) {
	f.Add(uint8(0), uint8(0), ".....\n..X..\n..O..\n.....\n.....\n", 0, 0)
	f.Add(uint8(7), uint8(5), "X.XX.\n.O.O.\n..O.X\n.X...\n....X", 2, 8)
	f.Add(uint8(2), uint8(6), "xxx.xx\n......\noo?oo\n\n", -1, 3)
	f.Add(uint8(3), uint8(0), ".....\n....\n.....\n.....\n.....\n", 0, 0)
	f.Add(uint8(3), uint8(5), ".....\n.....\n.....\n.....\n", 0, 0)
	f.Add(uint8(3), uint8(0), "XXXXX\nOOOOO\n.....\n.....\n.....\n", 0, 0)
	f.Add(uint8(7), uint8(5), ".....\n.....\n.....\n.....\n.....\n", 3, 0)
	f.Add(uint8(7), uint8(5), ".....\n.....\n.....\n.....\n.....\n", 10, 10)
	f.Fuzz(func(t *testing.T, rule, size uint8, text string, first, second int) {
		names := gomoku.Names()
		r := mustRules(t, names[int(rule)%len(names)])
		opts := gomoku.DiagramOptions{ToMove: new(game.Second), Captured: [2]int{first, second}}
		b, err := gomoku.ParseDiagram(r, int(size), text, opts)
		if err != nil {
			checkError(t, err)
			return
		}
		again, err := gomoku.ParseDiagram(r, b.Size(), b.String(), opts)
		if err != nil || again.Key() != b.Key() || again.Outcome() != b.Outcome() {
			t.Errorf("read again: %v\n%v\n%v", err, b, again)
		}
		if (b.Outcome() == game.Undecided) != (len(b.Moves(nil)) > 0) {
			t.Errorf("%v with %d moves", b.Outcome(), len(b.Moves(nil)))
		}
	})
}

// checkError requires a sentinel and a single line.
func checkError(t *testing.T, err error) {
	t.Helper()
	for _, sentinel := range []error{gomoku.ErrRule, gomoku.ErrSize, gomoku.ErrNotation, gomoku.ErrIllegal,
		gomoku.ErrOver} {
		if errors.Is(err, sentinel) {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %v", err)
			}
			return
		}
	}
	t.Errorf("no sentinel: %v", err)
}
