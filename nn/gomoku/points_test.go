package gomoku

import (
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// setUp returns the board with the stones that both texts list, First to move.
func setUp(t *testing.T, rule string, first, second string, captured [2]int) *gomoku.Board {
	t.Helper()
	const size = 15
	s := gomoku.Setup{Stones: make([]gomoku.Stone, size*size), Captured: captured}
	for side, text := range []string{first, second} {
		moves, err := gomoku.Notation{Size: size}.ParseMoves(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range moves {
			s.Stones[m] = gomoku.StoneOf(game.Side(side))
		}
	}
	b, err := gomoku.NewSetup(rulesOf(t, rule), size, s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestGlobals(t *testing.T) {
	for _, c := range []struct {
		rule   string
		second bool // Second to move
		want   []float32
	}{
		{"freestyle", false, []float32{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4. / 225, 0.75}},
		{"standard", false, []float32{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4. / 225, 0.75}},
		{"renju", false, []float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 4. / 225, 0.75}},
		{"renju", true, []float32{0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 5. / 225, 0.75}},
		{"caro", true, []float32{1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 5. / 225, 0.75}},
		{"caro-overline", false, []float32{0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 4. / 225, 0.75}},
		{"caro-edge", false, []float32{1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 4. / 225, 0.75}},
		{"caro-edge-overline", false, []float32{0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 4. / 225, 0.75}},
		{"school42", false, []float32{0, 0, 0, 0, 0, 0, 0, 1, 1, 0.2, 0.6, 4. / 225, 0.75}},
		{"school42", true, []float32{0, 0, 0, 0, 0, 0, 0, 1, 1, 0.6, 0.2, 5. / 225, 0.75}},
	} {
		captured := [2]int{}
		if c.rule == "school42" {
			captured = [2]int{2, 6}
		}
		b := setUp(t, c.rule, "h8d4", "a1o15", captured)
		if c.second {
			b.Play(2)
		}
		if got := encode(newEncoderFor(t, b), b, 0).globals; !slices.Equal(got, c.want) {
			t.Errorf("%s, %v to move: globals %v, want %v", c.rule, b.ToMove(), got, c.want)
		}
	}
}
