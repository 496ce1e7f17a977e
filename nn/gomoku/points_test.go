package gomoku

import (
	"slices"
	"strings"
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

// TestPoints checks positions that can be judged by eye. want is the cells of
// a plane, sorted as text, or "all -" and the empty cells that are not in it.
func TestPoints(t *testing.T) {
	for _, c := range []struct {
		name          string
		rules         string
		first, second string
		captured      [2]int
		plane         int
		want          string
	}{
		{name: "a three's fours", rules: "freestyle standard renju caro caro-edge school42",
			first: "h8i8j8", plane: PlaneFourOwn, want: "f8 g8 k8 l8"},
		{name: "a three's open fours", rules: "freestyle standard renju caro caro-edge school42",
			first: "h8i8j8", plane: PlaneOpenFourOwn, want: "g8 k8"},
		{name: "an open three near the edge", rules: "caro",
			first: "b8c8d8", plane: PlaneOpenFourOwn, want: "e8"},
		{name: "an open four near the edge", rules: "caro freestyle",
			first: "c8d8e8", plane: PlaneOpenFourOwn, want: "b8 f8"},
		{name: "an edge that blocks", rules: "caro-edge caro-edge-overline",
			first: "c8d8e8", plane: PlaneOpenFourOwn, want: "f8"},
		{name: "both open fours of the opponent", rules: "caro-overline",
			second: "h8i8j8", plane: PlaneOpenFourOpp, want: "g8 k8"},

		{name: "a four's fives", rules: "freestyle standard renju caro caro-edge",
			first: "h8i8j8k8", plane: PlaneFiveOwn, want: "g8 l8"},
		{name: "a four that an own stone spoils", rules: "standard renju caro",
			first: "h8i8j8k8m8", plane: PlaneFiveOwn, want: "g8"},
		{name: "a four that an own stone lengthens", rules: "freestyle caro-overline",
			first: "h8i8j8k8m8", plane: PlaneFiveOwn, want: "g8 l8"},
		{name: "a completed five makes new fours of six", rules: "freestyle caro-overline",
			first: "h8i8j8k8", plane: PlaneFourOwn, want: "g8 l8"},
		{name: "a completed five makes no four of six", rules: "standard renju caro",
			first: "h8i8j8k8", plane: PlaneFourOwn, want: ""},
		{name: "an open four lasts everywhere", rules: "freestyle",
			first: "h8i8j8k8", plane: PlaneOpenFourOwn, want: "all -"},
		{name: "an open four that own stones spoil", rules: "standard caro caro-edge",
			first: "h8i8j8k8", plane: PlaneOpenFourOwn, want: "all - f8 g8 l8 m8"},

		{name: "blocked at both ends", rules: "caro caro-overline caro-edge",
			first: "g8h8i8j8", second: "f8l8", plane: PlaneFiveOwn, want: ""},
		{name: "blocks ignored", rules: "freestyle standard school42",
			first: "g8h8i8j8", second: "f8l8", plane: PlaneFiveOwn, want: "k8"},
		{name: "blocked by stone and edge", rules: "caro-edge caro-edge-overline",
			first: "b8c8d8e8", second: "f8", plane: PlaneFiveOwn, want: ""},
		{name: "blocked by stone, not by the edge", rules: "caro caro-overline",
			first: "b8c8d8e8", second: "f8", plane: PlaneFiveOwn, want: "a8"},

		{name: "two and three fives that one stone on m8 prevents", rules: "caro caro-edge",
			first: "h8i8j8k8m4m5m6", second: "g8m2", plane: PlaneOpenFourOwn, want: ""},
		{name: "own stone on m8 instead", rules: "caro-overline",
			first: "h8i8j8k8m4m5m6", second: "g8m2", plane: PlaneOpenFourOwn, want: "m8"},
		{name: "own stone where one stone would prevent both", rules: "caro-overline",
			first: "h8i8j8k8m3m4m6m7", second: "g8m2", plane: PlaneOpenFourOwn, want: "m8"},
		{name: "own five where one stone would prevent both", rules: "caro-overline",
			first: "i8j8k8l8m4m5m6m7", second: "g8n8m2m9", plane: PlaneOpenFourOwn, want: "m8"},
		{name: "fives that take two stones to prevent", rules: "standard",
			first: "h8i8j8k8m4m5m6", second: "g8m2", plane: PlaneOpenFourOwn, want: "m3 m7"},
		{name: "fives and a six that take two stones to prevent", rules: "freestyle",
			first: "h8i8j8k8m4m5m6", second: "g8m2", plane: PlaneOpenFourOwn, want: "m3 m7 m8"},

		{name: "renju: an overline is forbidden", rules: "renju",
			first: "e8f8g8i8j8k8", plane: PlaneForbidden, want: "h8"},
		{name: "renju: a forbidden cell is no four point", rules: "renju",
			first: "h9h10h11i8j8k8", plane: PlaneFourOwn, want: "g8 h12 h13 h7 l8 m8"},
		{name: "renju: the other side may", rules: "renju",
			second: "e8f8g8i8j8k8", plane: PlaneFiveOpp, want: "h8"},

		{name: "a pair to take", rules: "school42",
			first: "h8", second: "i8j8", plane: PlaneCapturableOpp, want: "i8 j8"},
		{name: "a pair to lose", rules: "school42",
			first: "i9j10", second: "h8", plane: PlaneCapturableOwn, want: "i9 j10"},
		{name: "three are no pair", rules: "school42",
			first: "h8", second: "i8j8k8", plane: PlaneCapturableOpp, want: ""},
		{name: "an edge takes nothing", rules: "school42",
			first: "c8", second: "a8b8", plane: PlaneCapturableOpp, want: ""},
		{name: "no captures", rules: "freestyle caro",
			first: "h8", second: "i8j8", plane: PlaneCapturableOpp, want: ""},
		{name: "the tenth stone", rules: "school42", captured: [2]int{8, 0},
			first: "h8", second: "i8j8", plane: PlaneFiveOwn, want: "k8"},
		{name: "the eighth stone", rules: "school42", captured: [2]int{6, 0},
			first: "h8", second: "i8j8", plane: PlaneFiveOwn, want: ""},
		{name: "two pairs at once", rules: "school42", captured: [2]int{0, 6},
			first: "i8j8k9k10", second: "h8k11", plane: PlaneFiveOpp, want: "k8"},
		{name: "the tenth stone makes no four", rules: "school42", captured: [2]int{8, 0},
			first: "h8", second: "i8j8", plane: PlaneFourOwn, want: ""},
	} {
		for _, rule := range strings.Fields(c.rules) {
			b := setUp(t, rule, c.first, c.second, c.captured)
			if got := describe(b, encode(newEncoderFor(t, b), b, 0), c.plane, strings.HasPrefix(c.want, "all -")); got != c.want {
				t.Errorf("%s, %s: %s is %q, want %q\n%v", c.name, rule, planeNames[c.plane], got, c.want, b)
			}
		}
	}
}

// describe lists the cells of a plane, or the empty cells not in it.
func describe(b *gomoku.Board, in input, plane int, inverse bool) string {
	var cells []string
	n := b.Size() * b.Size()
	for c := range n {
		set := in.planes[plane*n+c] == 1
		if inverse {
			set = !set && b.At(c) == gomoku.Empty
		}
		if set {
			cells = append(cells, gomoku.Notation{Size: b.Size()}.FormatMove(game.Move(c)))
		}
	}
	slices.Sort(cells)
	if inverse {
		cells = slices.Insert(cells, 0, "all", "-")
	}
	return strings.Join(cells, " ")
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
