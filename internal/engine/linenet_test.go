package engine_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	gomokusearch "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/nn"
)

// What the classical search asks a line network, on a board that plays and takes
// back, is what the network's evaluator says of a fresh copy of the position: the
// odds of winning, and the priors of moves. A network is shared by threads.
func TestLineNetworkRatesMoves(t *testing.T) {
	network, err := networks.LoadJudge(enginetest.LineNetwork)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []string{"caro", "renju", "school42"} {
		v := enginetest.Variant(t, games.VariantOptions{Rule: rule, Size: 11})
		parts, err := engine.ClassicalOptions{Judge: network}.Game(v).Bind(enginetest.Played(t, v, "f6g7"))
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(5, 5))
		for range 40 {
			pos := parts.Position
			if moves := pos.Moves(nil); pos.Outcome() != game.Undecided || pos.Ply() > 30 || pos.Ply() > 3 &&
				rng.IntN(3) == 0 {
				pos.Undo()
			} else {
				pos.Play(moves[rng.IntN(len(moves))])
			}
			if pos.Outcome() == game.Undecided && len(pos.Wins(nil)) == 0 {
				checkRated(t, v, network, &parts)
			}
		}
	}
}

// checkRated compares the parts of a search with an evaluator, in floating point and
// with the policy as it is: the network's temperature is the tree search's.
func checkRated(t *testing.T, v games.Variant, network nn.IncrementalNetwork, parts *alphabeta.Heuristics) {
	t.Helper()
	pos := parts.Position.(*pattern.Board).Board()
	evaluator, err := network.Evaluator(v, nn.EvaluatorOptions{Temperature: 1 / network.Metadata().Temperature})
	if err != nil {
		t.Fatal(err)
	}
	moves := pos.Moves(nil)
	want := nn.Result{Priors: make([]float32, len(moves))}
	if !evaluator.Add(pos, nn.Tag{}, moves, &want) {
		t.Fatal("a line network waits")
	}
	rules, _ := v.Gomoku()
	odds := math.Log(float64((want.Win + want.Draw/2) / (want.Loss + want.Draw/2)))
	if got := float64(parts.Evaluation.Evaluate()); math.Abs(got-odds*gomokusearch.Scale(rules)) > 2 {
		t.Fatalf("%v: a score of %v, want the odds %v", pos, got, odds)
	}
	list, _ := parts.Picker.Stage(0, nil)
	parts.Prior.Rate(list)
	priors := map[game.Move]float64{}
	for i, m := range moves {
		priors[m] = float64(want.Priors[i])
	}
	best := 0.0
	for _, e := range list {
		best = max(best, priors[e.Move])
	}
	for _, e := range list {
		if behind := math.Log(best / priors[e.Move]); e.Kind == alphabeta.Quiet && len(list) > 1 && behind < 40 &&
			math.Abs(float64(e.Behind)/alphabeta.BehindUnit-behind) > 0.01 {
			t.Fatalf("%v: %+v, want %v behind", pos, e, behind)
		}
	}
}
