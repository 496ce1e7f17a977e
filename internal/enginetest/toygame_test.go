package enginetest

import (
	"slices"
	"testing"

	"github.com/carozero/carozero/internal/games"
)

// A game without a display of its own shows its stones, and its moves are pieces that
// are put on squares.
func TestAGameIsShownByItsStones(t *testing.T) {
	v := AddToyGame(t)
	pos, err := v.Parse("b2a1")
	if err != nil {
		t.Fatal(err)
	}
	d := v.Display(pos)
	want := make([]games.Piece, ToySide*ToySide)
	want[5].Stone, want[0].Stone = games.FirstStone, games.SecondStone
	if d.Size != ToySide || !slices.Equal(d.Pieces, want) || d.Last != nil || d.Win != nil || d.Hands != nil ||
		d.Captured != nil {
		t.Errorf("%+v", d)
	}
	for _, m := range pos.Moves(nil) {
		if s := v.Step(m); s != (games.Step{From: -1, To: int(m)}) {
			t.Errorf("%d is %+v", m, s)
		}
	}
	if _, err := v.ParseDiagram(games.Diagram{Text: "....\n"}); err == nil {
		t.Error("a drawing was read by nobody")
	}
}

// The game is gone when its test ends.
func TestAddEndsWithItsTest(t *testing.T) {
	before := games.GameNames()
	t.Run("inner", func(t *testing.T) {
		AddToyGame(t)
		if !slices.Contains(games.GameNames(), ToyName) {
			t.Error("not known")
		}
	})
	if after := games.GameNames(); !slices.Equal(after, before) {
		t.Errorf("%v, before %v", after, before)
	}
}
