package certificate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game/gomoku"
)

// The lines of five that a side may yet win by are those that the rules say it wins by if
// it gets the cells, in positions of all rule sets without captures.
func TestOpenLines(t *testing.T) {
	for _, name := range gomoku.Names() {
		if name == "school42" {
			continue
		}
		opened, closed := 0, 0
		for i := 0; opened < 2_000; i++ {
			b := scatter(t, name, rand.New(rand.NewPCG(62, uint64(i))))
			if b == nil {
				continue
			}
			w := newWalk(t.Context(), b, b.ToMove().Other(), nil)
			var want []string
			for _, line := range openLines(b, b.ToMove()) {
				slices.Sort(line)
				want = append(want, string(appendCells(nil, line)))
			}
			for c := range b.MaxMoves() {
				for d := range 4 {
					_, open := w.open(c, d)
					var cells []int
					for k := range 5 {
						cell, _ := w.at(c, d, k)
						cells = append(cells, cell)
					}
					slices.Sort(cells)
					if open != slices.Contains(want, string(appendCells(nil, cells))) {
						t.Fatalf("%s: from %d in direction %d: open %v\n%v", name, c, d, open, b)
					}
					if open {
						opened++
					} else {
						closed++
					}
				}
			}
		}
		t.Logf("%s: %d open, %d closed", name, opened, closed)
	}
}

func appendCells(text []byte, cells []int) []byte {
	for _, c := range cells {
		text = append(text, byte(c), byte(c>>8))
	}
	return text
}
