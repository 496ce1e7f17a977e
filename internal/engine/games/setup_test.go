package games

import (
	"errors"
	"fmt"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Stones that are set up make the same board as their drawing.
func TestASetupIsItsDrawing(t *testing.T) {
	v := variant(t, VariantOptions{Rule: "school42", Size: 5})
	for _, side := range []*game.Side{nil, new(game.First), new(game.Second)} {
		drawn, err := v.ParseDiagram(Diagram{Text: ".....\n.XX..\n.O...\n.....\nX...O\n", ToMove: side, Captured: [2]int{2, 2}})
		if err != nil {
			t.Fatal(err)
		}
		s := Setup{Stones: make([]Stone, 25), ToMove: side, Captured: [2]int{2, 2}}
		s.Stones[0], s.Stones[4], s.Stones[11], s.Stones[16], s.Stones[17] = FirstStone, SecondStone, SecondStone, FirstStone, FirstStone
		pos, err := v.SetUp(s)
		if err != nil {
			t.Fatal(err)
		}
		a, b := drawn.(*gomoku.Board), pos.(*gomoku.Board)
		if a.Key() != b.Key() || a.ToMove() != b.ToMove() || a.String() != b.String() || side != nil && b.ToMove() != *side {
			t.Errorf("drawn\n%vset up\n%v", a, b)
		}
	}
}

// A setup and a drawing name the part that is wrong, with the game's error and text.
func TestTheWrongPartOfASetup(t *testing.T) {
	v := variant(t, VariantOptions{Rule: "caro", Size: 5})
	stones := func(of ...Stone) []Stone { return append(of, make([]Stone, 25-len(of))...) }
	x, o := FirstStone, SecondStone
	for _, test := range []struct {
		setup Setup
		part  SetupPart
		want  string
	}{
		{Setup{Stones: stones(x, x, x, x, x, o, o, o, o, o)}, StonesPart, "illegal setup: both sides have a winning line; one at most can have"},
		{Setup{Stones: stones(x, x)}, ToMovePart, "illegal setup: 2 stones of first and 0 of second do not tell whose turn it is"},
		{Setup{Stones: stones(), Captured: [2]int{2, 2}}, CapturedPart, "illegal setup: first has captured 2; nothing is captured under caro"},
	} {
		text := ""
		for y := 4; y >= 0; y-- {
			for x := range 5 {
				text += ".XO"[test.setup.Stones[5*y+x]:][:1]
			}
			text += "\n"
		}
		_, drawn := v.ParseDiagram(Diagram{Text: text, Captured: test.setup.Captured})
		pos, set := v.SetUp(test.setup)
		for _, err := range []error{drawn, set} {
			wrong, ok := errors.AsType[*SetupError](err)
			if pos != nil || !ok || wrong.Part != test.part || err.Error() != test.want || !errors.Is(err, gomoku.ErrIllegal) {
				t.Errorf("%v, want part %d: %s", err, test.part, test.want)
			}
		}
	}
	if _, err := v.SetUp(Setup{Stones: stones()[:24]}); !errors.Is(err, gomoku.ErrSize) {
		t.Errorf("a cell too few: %v", err)
	}
}

// What a game has no use for is named as who asks names it.
func TestOptionsOfOtherGames(t *testing.T) {
	v := variant(t, VariantOptions{Game: Onitama})
	_, diagram := v.ParseDiagram(Diagram{ToMove: new(game.First)})
	_, open := NewVariant(VariantOptions{Game: Onitama, OpenRule: true})
	for _, test := range []struct {
		err  error
		want string
	}{
		{diagram, "<to-move> and <captured> are for gomoku; an onitama diagram has a line 'to move:'"},
		{open, "<open-rule> is for gomoku, not for onitama"},
	} {
		wrong, ok := errors.AsType[*OptionError](test.err)
		if !ok {
			t.Fatalf("no option in %v", test.err)
		}
		if got := wrong.Naming(func(name string) string { return fmt.Sprintf("<%s>", name) }); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
}
