package gomocup

import (
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"pgregory.net/rapid"
)

func TestCoordinatesCountFromTheTop(t *testing.T) {
	for _, c := range []struct {
		size       int
		text, name string
	}{
		{15, "0,0", "a15"}, {15, "0,14", "a1"}, {15, "14,0", "o15"}, {15, "7,7", "h8"}, {20, "2,5", "c15"}, {22, "21,21", "v1"},
	} {
		m, err := ParseCell(c.size, c.text)
		if err != nil || (gomoku.Notation{Size: c.size}).FormatMove(m) != c.name {
			t.Errorf("%s on %d is %s, %v; want %s", c.text, c.size, gomoku.Notation{Size: c.size}.FormatMove(m), err, c.name)
		}
	}
}

func TestCoordinatesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(gomoku.MinSize, gomoku.MaxSize).Draw(t, "size")
		m := game.Move(rapid.IntRange(0, size*size-1).Draw(t, "cell"))
		if got, err := ParseCell(size, FormatCell(size, m)); got != m || err != nil {
			t.Fatalf("%d came back as %d, %v", m, got, err)
		}
		x, y := rapid.IntRange(-3, 30).Draw(t, "x"), rapid.IntRange(-3, 30).Draw(t, "y")
		_, err := Cell(size, x, y)
		if inside := x >= 0 && y >= 0 && x < size && y < size; inside != (err == nil) {
			t.Fatalf("%d,%d on %d: %v", x, y, size, err)
		}
	})
}

func TestRuleMasks(t *testing.T) {
	for _, name := range gomoku.Names() {
		mask, ok := RuleMask(name)
		if !ok {
			continue
		}
		for _, yixin := range []bool{false, true} {
			if got, err := ruleName(mask, yixin); got != name || err != nil {
				t.Errorf("rule %d is %s, %v; want %s", mask, got, err, name)
			}
		}
	}
	known := 0
	for mask := range 64 {
		name, err := ruleName(mask, false)
		if err != nil {
			continue
		}
		known++
		if back, ok := RuleMask(name); !ok || back != mask {
			t.Errorf("rule %d is %s, whose number is %d", mask, name, back)
		}
	}
	if known != 5 {
		t.Errorf("%d rules are known, want 5", known)
	}
}
