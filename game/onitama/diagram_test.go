package onitama

import (
	"errors"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
)

const startDiagram = `5 o o O o o
4 . . . . .
3 . . . . .
2 . . . . .
1 x x X x x
  a b c d e
first: Crane Monkey
second: Crab Tiger
side: Dragon
to move: first
`

func TestDiagram(t *testing.T) {
	b := position(t, "Monkey,Crane/Tiger,Crab/Dragon")
	if got := b.String(); got != startDiagram {
		t.Errorf("the start is drawn\n%s", got)
	}
	if twin := drawn(t, startDiagram); twin.Key() != b.Key() || twin.Hash() != b.Hash() || twin.Ply() != 0 {
		t.Errorf("it reads as\n%v", twin)
	}
	bare := "ooOoo\n.....\n.....\n\n.....\nxxXxx\nSIDE:dragon\nfirst: monkey, crane\nsecond: tiger,crab"
	if twin := drawn(t, bare); twin.Key() != b.Key() {
		t.Errorf("without the trimmings it reads as\n%v", twin)
	}
}

func TestDiagramErrors(t *testing.T) {
	edit := func(old, new string) string { return strings.Replace(startDiagram, old, new, 1) }
	tests := []struct {
		in   string
		is   error
		says string
	}{
		{"", ErrNotation, "0 rows"},
		{edit("4 . . . . .\n", ""), ErrNotation, "line 2"},
		{edit("1 x x", "1 x q"), ErrNotation, "line 5"},
		{edit("3 . .", "3 ."), ErrNotation, "for row 3"},
		{edit("side: Dragon\n", ""), ErrNotation, `"side:"`},
		{edit("Crane Monkey", "Crane"), ErrNotation, "1 cards; want 2"},
		{edit("Crane Monkey", "Crane Crab"), ErrCards, "Crab is there twice"},
		{edit("to move: first", "to move: third"), ErrNotation, "third"},
		{edit("x x X", "x x x"), ErrSetup, "the first player has 0 masters"},
		{strings.Replace(edit("x x X", "x x x"), "o o O", "O o X", 1), ErrSetup, "has won already"},
		{edit("3 . .", "3 . x"), ErrSetup, "5 students"},
	}
	for _, tt := range tests {
		if _, err := ParseDiagram(tt.in); !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s\nerror %v, want %v with %q", tt.in, err, tt.is, tt.says)
		}
	}
}

func FuzzParseDiagram(f *testing.F) {
	f.Add(startDiagram)
	f.Add(blocked)
	f.Add("first:\nsecond:")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := ParseDiagram(text)
		if err != nil {
			return
		}
		c, err := ParseDiagram(b.String())
		if err != nil || c.Key() != b.Key() {
			t.Fatalf("%q is drawn\n%v, which reads differently: %v", text, b, err)
		}
		if b.Outcome() != game.Undecided {
			t.Fatalf("a diagram of a game that is over: %q", text)
		}
	})
}
