package line

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/nn"
	gomokunet "github.com/carozero/carozero/nn/gomoku"
)

func newEvaluator(t *testing.T, n *Network, rule string, size int) *Evaluator {
	t.Helper()
	rules, err := gomoku.Lookup(rule)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := gomokunet.New(rules, size)
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEvaluator(n, rules, size, enc, nn.EvaluatorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// answer asks for a position.
func answer(e nn.Evaluator, pos game.Position) nn.Result {
	moves := pos.Moves(nil)
	out := nn.Result{Priors: make([]float32, len(moves))}
	if !e.Add(pos, e.Tag(pos), moves, &out) {
		panic("a line network waits")
	}
	return out
}

// An answer depends on the position only, not on earlier questions or the type of the
// board; it is a distribution with the odds of the reference's logits.
func TestEvaluator(t *testing.T) {
	n := randomNetwork(4, 16)
	r := rand.New(rand.NewPCG(2, 2))
	for _, rule := range []string{"caro", "renju", "school42"} {
		used := newEvaluator(t, n, rule, 9)
		for range 12 {
			b := randomBoard(r, rule, 9, r.IntN(60))
			if b.Outcome() != game.Undecided {
				continue
			}
			got := answer(used, b)
			plain, fresh := answer(used, b.Board()), answer(newEvaluator(t, n, rule, 9), b)
			for name, other := range map[string]nn.Result{"plain board": plain, "fresh evaluator": fresh} {
				if !slices.Equal(got.Priors, other.Priors) || got.Win != other.Win || got.Loss != other.Loss {
					t.Fatalf("%s after %d plies: %s answers otherwise", rule, b.Ply(), name)
				}
			}
			checkApart(t, used, b, got)
			checkAnswer(t, got, newTwin(n, b.Board()), b.Moves(nil))
		}
	}
}

// checkApart asks for value and priors separately, in either order.
func checkApart(t *testing.T, e nn.Instant, pos game.Position, want nn.Result) {
	t.Helper()
	moves := pos.Moves(nil)
	priors := make([]float32, len(moves)+1)
	before := e.Stats().Evals
	e.Priors(pos, moves, priors[:len(moves)])
	first := slices.Clone(priors)
	value := e.Value(pos)
	e.Priors(pos, moves, priors[:len(moves)])
	if value != want.Value() || !slices.Equal(priors[:len(moves)], want.Priors) || !slices.Equal(priors, first) ||
		e.Stats().Evals != before+1 {
		t.Fatalf("apart: value %v and priors %v after %d evaluations, together %v and %v", value, priors,
			e.Stats().Evals-before, want.Value(), want.Priors)
	}
}

func checkAnswer(t *testing.T, got nn.Result, w *twin, moves []game.Move) {
	t.Helper()
	sum, policy, value := 0.0, w.policy(), w.value()
	for i, p := range got.Priors {
		sum += float64(p)
		if want := math.Exp(float64(policy[moves[i]]-policy[moves[0]]) / (1 << nn.PolicyBits)); want < 1e10 &&
			want > 1e-10 && got.Priors[0] > 1e-30 {
			if ratio := float64(p) / float64(got.Priors[0]); math.Abs(ratio-want) > 1e-4*want {
				t.Fatalf("priors of moves %d and 0 are %v to one, want %v", i, ratio, want)
			}
		}
	}
	odds := math.Exp(float64(value[0]-value[2]) / (1 << ValueBits))
	if math.Abs(sum-1) > 1e-4 || math.Abs(float64(got.Win)-odds*float64(got.Loss)) > 1e-4 ||
		math.Abs(float64(got.Win+got.Draw+got.Loss)-1) > 1e-5 {
		t.Fatalf("priors sum to %v; win %v draw %v loss %v, want odds of %v", sum, got.Win, got.Draw, got.Loss, odds)
	}
}

// Nothing is allocated once an evaluator is used.
func TestEvaluatorAllocatesNothing(t *testing.T) {
	e := newEvaluator(t, randomNetwork(4, 16), "caro", 15)
	b := randomBoard(rand.New(rand.NewPCG(3, 3)), "caro", 15, 30)
	moves := b.Moves(nil)
	out := nn.Result{Priors: make([]float32, len(moves)-1)}
	m := moves[0]
	if n := testing.AllocsPerRun(20, func() {
		b.Play(m)
		e.Add(b, nn.Tag{}, moves[1:], &out)
		e.Value(b)
		e.Priors(b, moves[1:], out.Priors)
		b.Undo()
	}); n != 0 {
		t.Errorf("%v allocations an evaluation", n)
	}
}
