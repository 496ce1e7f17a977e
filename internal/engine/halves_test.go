package engine

import (
	"fmt"
	"testing"

	"github.com/carozero/carozero/game"
)

// numbered writes moves as numbers.
type numbered struct{ game.Notation }

func (numbered) FormatMove(m game.Move) string { return fmt.Sprint("m", int(m)) }

// The text says who decided, why, and all that was found, each in its own unit.
func TestHalvesText(t *testing.T) {
	none := Finding{Move: game.NoMove}
	tree := Finding{Move: 1, Value: 0.125, Visits: 930}
	other := Finding{Move: 2, Value: -0.5, Visits: 12, Depth: 9}
	lost := Finding{Move: 1, Value: -1, Proof: Proof{Loss, 12, true}}
	won := Finding{Move: 2, Value: 1, Proof: Proof{Win, 5, true}, Depth: 7}
	for _, c := range []struct {
		h    Halves
		want string
	}{
		{Halves{Reason: Agreed, Tree: tree, Other: Finding{Move: 1, Depth: 9}, Checked: none}, "both agree: mcts m1 +0.125, 930 visits; alphabeta m1 +0.000, depth 9"},
		{Halves{Decided: ClassicalHalf, Reason: Refuted, Tree: tree, Other: other, Checked: lost, Refuted: []Finding{lost}},
			"alphabeta decides (refuted): mcts m1 +0.125, 930 visits; alphabeta m2 -0.500, depth 9; m1 checked: loss in 12"},
		{Halves{Reason: Refuted, Tree: tree, Other: other, Checked: Finding{Move: 3, Value: 0.25}, Refuted: []Finding{lost}},
			"mcts decides (refuted): mcts m1 +0.125, 930 visits; alphabeta m2 -0.500, depth 9; m1 checked: loss in 12; checked: m3 +0.250"},
		{Halves{Decided: ClassicalHalf, Reason: Claimed, Tree: tree, Other: won, Checked: none}, "alphabeta decides (claimed): mcts m1 +0.125, 930 visits; alphabeta m2 win in 5, depth 7"},
		{Halves{Decided: ClassicalHalf, Reason: Alone, Tree: none, Other: other, Checked: none}, "alphabeta decides (alone): alphabeta m2 -0.500, depth 9"},
		{Halves{Reason: Weighed, Tree: tree, Other: other, Checked: Finding{Move: 1}}, "mcts decides (weighed): mcts m1 +0.125, 930 visits; alphabeta m2 -0.500, depth 9; checked: m1 +0.000"},
		{Halves{Reason: Proven, Tree: tree, Other: none, Checked: none}, "mcts decides (proven): mcts m1 +0.125, 930 visits"},
	} {
		if got := c.h.Text(numbered{}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
