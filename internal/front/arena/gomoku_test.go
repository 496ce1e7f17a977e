package arena

import (
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// The cells of offsets from the centre are those of gomoku.
func TestOffsetsAreGomokuCells(t *testing.T) {
	for size, want := range map[int]string{15: "h8i9f5", 20: "k10l11i7"} {
		moves, err := ParseOffsets("0,0, 1,-1, -2,3", size)
		if err != nil {
			t.Fatal(err)
		}
		if got := (gomoku.Notation{Size: size}).FormatMoves(moves); got != want {
			t.Errorf("size %d: %s, want %s", size, got, want)
		}
	}
}

// A move that renju forbids is a forfeit that names the cell.
func TestForbiddenMoveForfeits(t *testing.T) {
	rules, err := gomoku.Lookup("renju")
	if err != nil {
		t.Fatal(err)
	}
	start, err := gomoku.New(rules, 15)
	if err != nil {
		t.Fatal(err)
	}
	notation := gomoku.Notation{Size: 15}
	list, err := ReadOpenings(strings.NewReader("h8h9i7i9h10i6i11i12\n"), start, OpeningParser(notation, 15))
	if err != nil {
		t.Fatal(err)
	}
	overstep := func(cell string) moveFunc {
		moves, err := notation.ParseMoves(cell)
		if err != nil {
			t.Fatal(err)
		}
		return play(moves[0], nil)
	}
	opts := options(2, entrant("a", overstep("g9")), entrant("b", overstep("g9")))
	opts.Start, opts.Notation, opts.Openings = start, notation, list
	results, _ := run(t, opts)
	for _, r := range results {
		if r.Outcome != game.SecondWins || r.Forfeit == nil || r.Forfeit.Text != "move 9, g9, is illegal" {
			t.Errorf("game %+v, forfeit %+v", r, r.Forfeit)
		}
	}
}
