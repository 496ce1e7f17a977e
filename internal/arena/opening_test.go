package arena

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
)

func TestParseOffsets(t *testing.T) {
	for _, c := range []struct {
		text string
		size int
		want string // the moves in 15x15 notation, or part of the error
		ok   bool
	}{
		{"0,0", 15, "h8", true},
		{"0,0, 1,-1, -2,3", 15, "h8 i9 f5", true},
		{"-7,-7,7,7,", 15, "a15 o1", true},
		{"0,0,0,0", 15, "move 2, 0,0: the cell is taken", false},
		{"0,0,1", 15, "3 numbers", false},
		{"0,-9223372036854775808", 15, "off the board", false},
		{"0,x", 15, `move 1, "0,x"`, false},
	} {
		moves, err := ParseOffsets(c.text, c.size)
		if !c.ok {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q: moves %v, error %v, want an error with %q", c.text, moves, err, c.want)
			}
			continue
		}
		var got []string
		for _, m := range moves {
			got = append(got, fmt.Sprintf("%c%d", 'a'+int(m)%c.size, int(m)/c.size+1))
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%q: %v, %v, want %s", c.text, got, err, c.want)
		}
	}
	even, err := ParseOffsets("0,0", 20)
	if err != nil || even[0] != 9*20+10 {
		t.Errorf("centre of 20x20: %v, %v, want column 10, row 10 from the top", even, err)
	}
}

func TestReadOpenings(t *testing.T) {
	start := gametest.NewMNK(5, 5, 4)
	const text = "# comment\n# for toy any 3\n\nc3b2\r\n  0,0, -1,1\n"
	list, err := ReadOpenings(strings.NewReader(text), "toy any 3", start, start.Notation(), 5)
	if err != nil {
		t.Fatal(err)
	}
	want := OpeningList{{12, 6}, {12, 6}}
	if len(list) != 2 || !slices.Equal(list[0], want[0]) || !slices.Equal(list[1], want[1]) {
		t.Fatalf("openings %v, want %v", list, want)
	}
	for pair, entry := range []int{0, 1, 0, 1} {
		if got, _ := list.Opening(t.Context(), pair); !slices.Equal(got, list[entry]) {
			t.Errorf("pair %d: %v", pair, got)
		}
	}
	for text, part := range map[string]string{
		"":                                "there is none",
		"c3\nc3c3":                        "line 2: move 2 is illegal",
		"a1a2b1b2c1c2d1":                  "line 1: the game is over after move 7",
		"# for toy any 4\nc3":             "line 1: \"# for toy any 4\", the games are of toy any 3",
		"# for my friends\nc3\nz9":        "line 3",
		strings.Repeat("x", 1e5):          "line 1: too large: the line has more than",
		"c3\n" + strings.Repeat("x", 1e5): "line 2: too large",
		strings.Repeat("# comment\n", maxOpenings+1): fmt.Sprintf("line %d: too large: want at most", maxOpenings+1),
	} {
		_, err := ReadOpenings(strings.NewReader(text), "toy any 3", start, start.Notation(), 5)
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%.20q: error %v, want %q", text, err, part)
		}
	}
}

// FuzzReadOpenings reads any file: what it accepts is legal, and what it refuses
// is one line that names a line.
func FuzzReadOpenings(f *testing.F) {
	for _, seed := range []string{
		"# comment\n# for toy any 3\n\nc3b2\r\n  0,0, -1,1\n",
		"c3c3", "a1a2b1b2c1c2d1", "0,0,1", "0,-9223372036854775808", "\xff\xfe", "-2,-2,2,2,", "c3\x00", "\n\n#",
	} {
		f.Add(seed)
	}
	start := gametest.NewMNK(5, 5, 4)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ReadOpenings(strings.NewReader(text), "toy any 3", start, start.Notation(), 5)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "openings") || strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("error %q", err)
			}
			return
		}
		for i, moves := range list {
			if _, err := follow(start, moves); err != nil {
				t.Fatalf("opening %d of %q: %v", i, text, err)
			}
		}
		if len(list) == 0 {
			t.Fatal("an empty list")
		}
	})
}

func TestRandomOpenings(t *testing.T) {
	start := gametest.NewMNK(4, 4, 3)
	calls := 0
	o := &RandomOpenings{Start: start, Plies: 4, Seed: 7, Tolerance: 0.1, Tries: 200,
		Balance: func(_ context.Context, pos game.Position) (float64, error) {
			calls++
			return float64(pos.Hash()%1000)/500 - 1, nil
		}}
	seen := map[string]bool{}
	for pair := range 40 {
		moves, err := o.Opening(t.Context(), pair)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := o.Opening(t.Context(), pair)
		if !slices.Equal(moves, again) {
			t.Fatalf("pair %d: %v, then %v", pair, moves, again)
		}
		pos, err := follow(start, moves)
		if err != nil || len(moves) != 4 {
			t.Fatalf("pair %d: %v: %v", pair, moves, err)
		}
		if value, _ := o.Balance(t.Context(), pos); math.Abs(value) > o.Tolerance {
			t.Errorf("pair %d: value %g", pair, value)
		}
		if value, plies := gametest.MinimaxPlies(pos); value > 0 && plies == 1 || value < 0 && plies == 2 {
			t.Errorf("pair %d: %v is decided in %d plies", pair, moves, plies)
		}
		seen[start.Notation().FormatMoves(moves)] = true
	}
	if len(seen) < 30 {
		t.Errorf("only %d openings differ among 40", len(seen))
	}
	if start.Ply() != 0 {
		t.Error("the start position was changed")
	}
	other := &RandomOpenings{Start: start, Plies: 4, Seed: 8, Tries: 200}
	a, _ := o.Opening(t.Context(), 0)
	b, _ := other.Opening(t.Context(), 0)
	if slices.Equal(a, b) {
		t.Error("the seed changes nothing")
	}
}
