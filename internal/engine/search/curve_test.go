package search

import (
	"math"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	gomokusearch "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/enginetest"
	"github.com/carozero/carozero/internal/engine/games"
)

// The value is the logistic function of the score, rises with it, is odd, and is
// certain of claims alone.
func TestCurve(t *testing.T) {
	for _, rule := range games.RuleNames() {
		c := enginetest.Variant(t, games.VariantOptions{Rule: rule}).Curve()
		last := float32(-1)
		for s := -alphabeta.MaxEval; s <= alphabeta.MaxEval; s += 100 {
			got := c.Value(s)
			if want := math.Tanh(float64(s) / (2 * c.Scale)); math.Abs(float64(got)-want) > 2e-6 {
				t.Fatalf("%s: %v is worth %v, want %v", rule, s, got, want)
			}
			if got < last || got >= 1 || got <= -1 || got != -c.Value(-s) {
				t.Fatalf("%s: %v is worth %v after %v", rule, s, got, last)
			}
			last = got
		}
		if c.Value(alphabeta.WinIn(9)) != 1 || c.Value(alphabeta.LossIn(8)) != -1 {
			t.Errorf("%s: claims are not certain", rule)
		}
	}
}

// What an answer says a position is worth is what samples say, and what a fit to
// games found, under every rule set.
func TestOneScoreHasOneValue(t *testing.T) {
	for _, rule := range games.RuleNames() {
		v := enginetest.Variant(t, games.VariantOptions{Rule: rule})
		a := enginetest.Answer(t, classical(t, v), t.Context(), enginetest.Parse(t, v, "h8i9h9"), engine.Limits{Depth: 2, Lines: 3})
		for _, o := range a.Moves {
			if want := 2/(1+math.Exp(-float64(o.Score)/gomokusearch.Scale(rulesOf(v)))) - 1; math.Abs(float64(o.Value)-want) > 1e-6 {
				t.Errorf("%s: a score of %d is worth %v, want %v", rule, o.Score, o.Value, want)
			}
		}
	}
}
