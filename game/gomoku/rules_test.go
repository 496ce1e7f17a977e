package gomoku_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

func TestNames(t *testing.T) {
	want := "freestyle standard renju caro caro-overline caro-edge caro-edge-overline school42"
	if got := strings.Join(gomoku.Names(), " "); got != want {
		t.Errorf("names %q, want %q", got, want)
	}
	for _, name := range gomoku.Names() {
		r := mustRules(t, name)
		if r.Name != name || r.Validate() != nil {
			t.Errorf("%s: rules %+v, %v", name, r, r.Validate())
		}
	}
	if _, err := gomoku.Lookup("gomoku"); !errors.Is(err, gomoku.ErrRule) || !strings.Contains(err.Error(), want[:9]) {
		t.Errorf("unknown rule: %v", err)
	}
	mustRules(t, gomoku.DefaultRule)
}

func TestRulesThatContradictThemselves(t *testing.T) {
	both := [2]bool{true, true}
	for i, r := range []gomoku.Rules{
		{EdgeBlocks: true},
		{OverlineFree: true},
		{OpponentBlocks: true},
		{OpponentBlocks: true, OverlineFree: true, Exact: both},
		{OpponentBlocks: true, Exact: [2]bool{true, false}},
		{Renju: [2]bool{true, false}},
		{Renju: both, Exact: [2]bool{true, false}},
		{Renju: both, Exact: both, OpponentBlocks: true},
		{Renju: both, Exact: both, DoubleThree: true},
		{Captures: true, Exact: both},
		{Captures: true, OpponentBlocks: true, OverlineFree: true},
		{OpenDistance: -1},
	} {
		if err := r.Validate(); !errors.Is(err, gomoku.ErrRule) {
			t.Errorf("case %d: %v", i, err)
		}
		if _, err := gomoku.New(r, 15); !errors.Is(err, gomoku.ErrRule) {
			t.Errorf("case %d: New: %v", i, err)
		}
	}
	for _, size := range []int{-1, 0, 4, 23} {
		if _, err := gomoku.New(mustRules(t, "caro"), size); !errors.Is(err, gomoku.ErrSize) {
			t.Errorf("size %d: %v", size, err)
		}
	}
}

// every names all rule sets of the table.
const every = "freestyle standard renju caro caro-overline caro-edge caro-edge-overline school42"

// In each row First plays the cell marked * and wins under the rules named,
// and no others; edges are those of the row.
var rowTests = []struct{ row, wins string }{
	{". . . X X * X X . . .", every},
	{"X X X X * . . . . . .", every},
	{". O X X X X * . . . .", every},
	{". O X X X X * O . . .", "freestyle standard renju school42"},
	{"X X X X * O . . . . .", "freestyle standard renju caro caro-overline school42"},
	{". . . . . O X X * X X", "freestyle standard renju caro caro-overline school42"},
	{". . X X X * X X . . .", "freestyle caro-overline caro-edge-overline school42"},
	{". O X X X * X X O . .", "freestyle caro-overline caro-edge-overline school42"},
	{"X X X X * X O . . . .", "freestyle caro-overline caro-edge-overline school42"},
	{"X X X * X X X O . . .", "freestyle caro-overline caro-edge-overline school42"},
	{". X X X * . X . . . .", ""},
	{". . X X * X . . . . .", ""},
}

func TestRunsThatWin(t *testing.T) {
	for i, test := range rowTests {
		for _, rule := range gomoku.Names() {
			want := slices.Contains(strings.Fields(test.wins), rule)
			for y := range 11 {
				checkRow(t, fmt.Sprintf("row %d under %s, y %d", i, rule, y), rule, test.row, y, want)
			}
		}
	}
}

// checkRow puts a row of 11 cells at y and asks in every way whether * wins.
func checkRow(t *testing.T, name, rule, row string, y int, want bool) {
	t.Helper()
	s := gomoku.Setup{Stones: make([]gomoku.Stone, 11*11)}
	cell := 0
	for x, c := range strings.Fields(row) {
		s.Stones[11*y+x] = map[string]gomoku.Stone{"X": gomoku.FirstStone, "O": gomoku.SecondStone}[c]
		if c == "*" {
			cell = 11*y + x
		}
	}
	b, err := gomoku.NewSetup(mustRules(t, rule), 11, s)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if b.Outcome() != game.Undecided {
		t.Fatalf("%s: %v already", name, b.Outcome())
	}
	if got := b.WinsFor(game.First, cell); got != want {
		t.Errorf("%s: WinsFor %v, want %v", name, got, want)
	}
	if got := slices.Contains(b.Wins(nil), game.Move(cell)); got != want {
		t.Errorf("%s: Wins has it %v, want %v", name, got, want)
	}
	if !b.Legal(game.Move(cell)) {
		return
	}
	b.Play(game.Move(cell))
	if got := b.Outcome() == game.FirstWins; got != want {
		t.Errorf("%s: outcome %v, want a win %v", name, b.Outcome(), want)
	}
	if want && b.Reason() != game.Line {
		t.Errorf("%s: reason %q", name, b.Reason())
	}
}

// The positions that the rules text itself answers, on 15x15.
func TestAcceptancePositions(t *testing.T) {
	n := gomoku.Notation{Size: 15}
	for _, name := range gomoku.Names() {
		b := mustParse(t, name, 15, "h8h9i8i9j8j9k8k9")
		if got := n.FormatMoves(b.Wins(nil)); got != "g8l8" {
			t.Errorf("%s: wins %q, want g8l8", name, got)
		}
	}
	b := mustParse(t, "standard", 15, "h8h9i8h10g8h11j13h12g14h14i15")
	if got := n.FormatMoves(b.AppendWinsFor(game.Second, nil)); got != "" {
		t.Errorf("standard: wins %q, want none: h13 makes six", got)
	}
	if got := n.FormatMoves(b.AppendWinsFor(game.First, nil)); got != "" {
		t.Errorf("standard: First's wins %q, want none", got)
	}
	b = mustParse(t, "renju", 15, "h8h9i7i9h10i6i11i12")
	if got := n.FormatMoves(b.Forbidden(nil)); got != "g9" {
		t.Errorf("renju: forbidden %q, want g9", got)
	}
	for _, rule := range []string{"caro", "caro-overline", "caro-edge", "caro-edge-overline"} {
		b = mustParse(t, rule, 15, "h8f8g8f9i8f7j8l8")
		if got := n.FormatMoves(b.Wins(nil)); got != "" {
			t.Errorf("%s: wins %q, want none: k8 makes a five blocked at both ends", rule, got)
		}
	}
}

func TestOpenDistance(t *testing.T) {
	r := mustRules(t, "caro")
	r.OpenDistance = 3
	n := gomoku.Notation{Size: 9}
	for _, test := range []struct {
		moves, third string
		legal        bool
	}{
		{"e5e6", "e4", false}, {"e5e6", "g7", false}, {"e5e6", "c3", false},
		{"e5e6", "h5", true}, {"e5e6", "e8", true}, {"e5e6", "b2", true}, {"e5e6", "a9", true},
		{"e5", "e6", true}, {"e5e6h5", "e4", true}, {"", "e5", true},
	} {
		b, err := gomoku.ParsePosition(r, 9, test.moves)
		if err != nil {
			t.Fatal(err)
		}
		moves, _ := n.ParseMoves(test.third)
		m := moves[0]
		if b.Legal(m) != test.legal || slices.Contains(b.Moves(nil), m) != test.legal ||
			slices.Contains(b.Forbidden(nil), m) == test.legal {
			t.Errorf("%s, then %s: legal %v, want %v", test.moves, test.third, b.Legal(m), test.legal)
		}
		_, err = gomoku.ParsePosition(r, 9, test.moves+test.third)
		if (err == nil) != test.legal || !test.legal && !errors.Is(err, gomoku.ErrIllegal) {
			t.Errorf("%s, then %s: error %v", test.moves, test.third, err)
		}
	}
	small, err := gomoku.ParsePosition(r, 5, "c3c4")
	if err != nil || small.Outcome() != game.Draw || small.Reason() != game.NoMoves {
		t.Errorf("5x5 from the centre: %v, %v", small.Outcome(), err)
	}
}
