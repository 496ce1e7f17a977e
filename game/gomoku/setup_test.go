package gomoku_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// An impossible setup is refused with the part that makes it so, whether it is drawn
// or given by its stones, and without the words of any front.
func TestTheWrongPartOfASetup(t *testing.T) {
	rows := func(first string, second string) string { return first + second + strings.Repeat(".....\n", 3) }
	empty := rows(".....\n", ".....\n")
	for _, test := range []struct {
		rule, text string
		toMove     *game.Side
		captured   [2]int
		part       gomoku.SetupPart
		want       string
	}{
		{"caro", rows("XXXXX\n", "OOOOO\n"), new(game.First), [2]int{}, gomoku.StonesPart,
			"illegal setup: both sides have a winning line; one at most can have"},
		{"caro", rows("XX...\n", ".....\n"), nil, [2]int{}, gomoku.ToMovePart,
			"illegal setup: 2 stones of first and 0 of second do not tell whose turn it is"},
		{"school42", rows("X....\n", "O....\n"), nil, [2]int{0, 4}, gomoku.ToMovePart,
			"illegal setup: 5 stones of first and 1 of second do not tell whose turn it is"},
		{"caro", empty, new(game.Side(2)), [2]int{}, gomoku.ToMovePart,
			"illegal setup: side 2 to move; there are first and second"},
		{"caro", empty, new(game.First), [2]int{2, 0}, gomoku.CapturedPart,
			"illegal setup: first has captured 2; nothing is captured under caro"},
		{"school42", empty, new(game.First), [2]int{0, 3}, gomoku.CapturedPart,
			"illegal setup: second has captured 3; pairs are captured, at most 24 stones"},
		{"school42", empty, new(game.First), [2]int{10, 10}, gomoku.CapturedPart,
			"illegal setup: both sides have captured 10 stones; one at most can have"},
	} {
		_, err := gomoku.ParseDiagram(mustRules(t, test.rule), 0, test.text, gomoku.DiagramOptions{ToMove: test.toMove, Captured: test.captured})
		wrong, ok := errors.AsType[*gomoku.SetupError](err)
		if !ok || wrong.Part != test.part || err.Error() != test.want || !errors.Is(err, gomoku.ErrIllegal) {
			t.Errorf("%v, want part %d: %s", err, test.part, test.want)
		}
	}
	_, err := gomoku.NewSetup(mustRules(t, "caro"), 5, gomoku.Setup{Stones: append(make([]gomoku.Stone, 24), 3)})
	if wrong, ok := errors.AsType[*gomoku.SetupError](err); !ok || wrong.Part != gomoku.StonesPart || !strings.Contains(err.Error(), "cell 24 holds 3") {
		t.Errorf("a cell with 3 in it: %v", err)
	}
}

// Captured stones count as placed by the side that lost them.
func TestTheTurnByTheCount(t *testing.T) {
	x, o := gomoku.FirstStone, gomoku.SecondStone
	for _, test := range []struct {
		setup gomoku.Setup
		want  game.Side
	}{
		{gomoku.Setup{}, game.First},
		{gomoku.Setup{Stones: []gomoku.Stone{x}}, game.Second},
		{gomoku.Setup{Stones: []gomoku.Stone{x, o}, ToMove: game.Second}, game.First},
		{gomoku.Setup{Stones: []gomoku.Stone{x, x, x}, Captured: [2]int{2, 0}}, game.Second},
		{gomoku.Setup{Stones: []gomoku.Stone{o, o}, Captured: [2]int{0, 2}}, game.First},
	} {
		if side, err := test.setup.Turn(); err != nil || side != test.want {
			t.Errorf("%+v: %v to move, %v, want %v", test.setup, side, err, test.want)
		}
	}
}
