package search

import (
	"testing"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/enginetest"
	"github.com/carozero/carozero/internal/engine/games"
)

// Where both halves come to a move of which the classical one claims that it loses, that
// is what the answer is worth: the tree without solvers has not seen it.
func TestAgreedOnAClaimedLoss(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle", Size: 9})
	agreed := 0
	for _, text := range []string{"e5a1f5a3g5a9e6i1e7", "d4a9e4i9f4i1d5a1d6", "e5a1d4a9c3i1f4i9g3", "f6a1f5a9f4i1e5i9d4", "e4a1e5a9e6i1f5i9g5"} {
		pos := enginetest.Played(t, v, text)
		b := NewBoth(tree(t, v, TreeOptions{}), classical(t, v), BothSettings{Share: 0.5, Rate: defaultRate, Exchange: true, Check: true})
		a := enginetest.Answer(t, b, t.Context(), pos, engine.Limits{Nodes: 400})
		if a.Halves.Reason == engine.Agreed && a.Proof.Claimed && a.Proof.Result == engine.Loss {
			agreed++
		}
	}
	if agreed == 0 {
		t.Error("the halves never agreed on a claimed loss: the test shows nothing")
	}
}
