package gomoku

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// An Evaluator's value is the evaluation, and its policy gives quiet moves their hints,
// the best of the list at most zero; nothing else of a move changes.
func TestEvaluator(t *testing.T) {
	eachRule(t, func(rt *rapid.T, b *pattern.Board, rng *rand.Rand) {
		if len(b.Wins(nil)) > 0 {
			return
		}
		logits := make([]int32, b.MaxMoves())
		for i := range logits {
			logits[i] = int32(rng.Uint32()) >> rapid.IntRange(0, 24).Draw(rt, "shift")
		}
		heuristics, err := Game{Evaluator: func(*pattern.Board) Evaluator {
			return Evaluator{Value: func() alphabeta.Score { return 123 }, Policy: func(moves []game.Move, out []int32) {
				for i, m := range moves {
					out[i] = logits[m]
				}
			}}
		}}.Bind(b)
		if err != nil {
			rt.Fatal(err)
		}
		if got := heuristics.Evaluation.Evaluate(); got != 123 {
			rt.Fatalf("the evaluation is %v, want the Evaluator's", got)
		}
		before := listed(&heuristics)
		after := append([]alphabeta.ScoredMove(nil), before...)
		heuristics.Prior.Rate(after)
		checkRated(rt, before, after, logits)
	})
}

// checkRated compares rated moves with what the definition says in floating point.
func checkRated(rt *rapid.T, before, after []alphabeta.ScoredMove, logits []int32) {
	best := math.Inf(-1)
	for _, e := range before {
		best = max(best, float64(logits[e.Move])/(1<<PriorBits))
	}
	for i, e := range after {
		was := before[i]
		if len(before) > 1 && was.Kind == alphabeta.Quiet {
			behind := best - float64(logits[e.Move])/(1<<PriorBits)
			if want := -4000 * behind; math.Abs(float64(e.Hint)-want) > 1 {
				rt.Fatalf("hint %d of a move %v behind, want %v", e.Hint, behind, want)
			}
			if want := min(behind, 127.99); math.Abs(float64(e.Behind)/alphabeta.BehindUnit-want) > 0.01 {
				rt.Fatalf("%d behind, want %v", e.Behind, want)
			}
			was.Hint, was.Behind = e.Hint, e.Behind
		}
		if e != was {
			rt.Fatalf("%+v was listed as %+v", e, before[i])
		}
	}
}
