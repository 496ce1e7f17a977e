package gomoku

import (
	"testing"

	rules "github.com/carozero/carozero/game/gomoku"
)

// Fitted weights belong to a rule set, stay within what sums over a board can
// hold, and know nothing of features that its positions do not have: cells of a
// side that renju binds, by which the sides would differ, and captures.
func TestFittedWeights(t *testing.T) {
	const most = 30000
	for rule, w := range fittedWeights {
		r, err := rules.Lookup(rule)
		if err != nil {
			t.Error(err)
			continue
		}
		if *w == *HandWeights(r) {
			t.Errorf("%s: the weights are those set by hand", rule)
		}
		bound := r.Renju[0] || r.Renju[1]
		for f := range NumFeatures {
			early, late := w.Early[f], w.Late[f]
			if max(early, late) > most || min(early, late) < -most {
				t.Errorf("%s, feature %d: %d and %d are out of range", rule, f, early, late)
			}
			absent := f >= BoundCells && f < Standing && !bound || f >= Taken && !r.Captures
			if absent && (early != 0 || late != 0) {
				t.Errorf("%s, feature %d: %d and %d, but no position has it", rule, f, early, late)
			}
		}
	}
}
