package fit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/carozero/carozero/alphabeta"
	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/regression"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// A walk begins in the middle of five places and goes left or right with even chances
// until it leaves them; to leave on the right wins. The chances of the places are 1/6 to
// 5/6 (Sutton 1988), and the weights learn them, whatever λ is, and whoever is to move.
func TestTDLeafLearnsARandomWalk(t *testing.T) {
	for _, lambda := range []float64{0, 0.7, 1} {
		const places = 5
		rng := rand.New(rand.NewPCG(8, 1))
		s := newStudent(flatPrior(make([]float64, 2*places), 100))
		const batches = 400
		for b := range batches {
			var lessons []lesson
			for range batch {
				var positions []judged
				var leaves regression.Rows
				at, side := places/2, game.Side(rng.IntN(2))
				for ; at >= 0 && at < places; at += 2*rng.IntN(2) - 1 {
					row := regression.Row{Terms: []regression.Term{{Feature: uint16(at), Count: 1 - 2*int16(side)}}, Phase: rng.Float32()}
					positions = append(positions, judged{regression.Probability(forFirst(row.Score(s.weights), side)), leaves.Len(), side})
					leaves.Add(row)
				}
				lessons = append(lessons, newLesson(positions, leaves, float64(min(at+1, 1)), lambda))
			}
			s.learn(lessons, 1-float64(b)/batches)
		}
		for at := range places {
			for _, w := range []float64{s.weights[at], s.weights[places+at]} {
				if got, want := regression.Probability(w), float64(at+1)/(places+1); math.Abs(got-want) > 0.04 {
					t.Errorf("lambda %v, place %d: %.3f, want %.3f", lambda, at, got, want)
				}
			}
		}
	}
}

// A lesson moves weights along the derivative of the sum of the values of its positions,
// each times what the differences after it come to.
func TestLessonsFollowTheDerivative(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const features, lambda, result = 4, 0.6, 0.5
	for range 20 {
		weights := drawWeights(rng, features, 50)
		var positions []judged
		var leaves regression.Rows
		for range 1 + rng.IntN(6) {
			if rng.IntN(4) == 0 {
				positions = append(positions, judged{value: float64(rng.IntN(2)), leaf: -1})
				continue
			}
			row, side := drawRow(rng, features), game.Side(rng.IntN(2))
			positions = append(positions, judged{regression.Probability(forFirst(row.Score(weights), side)), leaves.Len(), side})
			leaves.Add(row)
		}
		ahead := make([]float64, len(positions)) // by the sums as they are defined
		for at := range positions {
			for j := at; j < len(positions); j++ {
				next := result
				if j+1 < len(positions) {
					next = positions[j+1].value
				}
				ahead[at] += math.Pow(lambda, float64(j-at)) * (next - positions[j].value)
			}
		}
		sum := func(w []float64) (s float64) {
			for at, p := range positions {
				if p.leaf >= 0 {
					row := leaves.At(p.leaf)
					s += ahead[at] * regression.Probability(forFirst(row.Score(w), p.side))
				}
			}
			return s
		}
		gradient := make([]float64, len(weights))
		l := newLesson(positions, leaves, result, lambda)
		l.addGradient(gradient)
		const step = 1e-3
		for i := range weights {
			above, below := slices.Clone(weights), slices.Clone(weights)
			above[i] += step
			below[i] -= step
			if want := (sum(above) - sum(below)) / (2 * step); math.Abs(gradient[i]-want) > 1e-8 {
				t.Fatalf("weight %d: %v, want %v", i, gradient[i], want)
			}
		}
	}
}

// taught are the games of a small board from which a TDLeaf learns quickly.
func taught(tb testing.TB, rule string, games int) (TDLeaf, *Data) {
	r := lookup(tb, rule)
	l := TDLeaf{Rules: r, Lambda: DefaultLambda, Depth: 1, Rate: 0.1, Passes: 1, Seed: 1}
	return l, collected(tb, rule, games, 9).Collected()
}

// From games of the engine against itself it learns what lowers the loss, also in games
// that are held out.
func TestTDLeafLearnsFromGames(t *testing.T) {
	r := lookup(t, "freestyle")
	s := Selfplay{Rules: r, Size: 9, Engine: classical.Game{}, Nodes: 60, Seed: 3, Games: 150, Least: 4, Most: 8}
	c := NewCollector(r, 0)
	if err := s.Play(t.Context(), func(_ int, g Game) error { return c.Add(t.Context(), g) }); err != nil {
		t.Fatal(err)
	}
	l := TDLeaf{Rules: r, Lambda: DefaultLambda, Depth: 1, Rate: 0.1, Passes: 2, Seed: 1}
	got, err := l.Fit(t.Context(), c.Collected(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !(got.Loss[0] < got.HandLoss[0] && got.Loss[1] < got.HandLoss[1]) {
		t.Errorf("loss %v, by hand %v", got.Loss, got.HandLoss)
	}
}

// What it learns is the same with any number of workers, and another with another order.
func TestTDLeafIsReproducible(t *testing.T) {
	defer goleak.VerifyNone(t)
	l, data := taught(t, "renju", 50)
	if len(data.Played) != 45 {
		t.Fatalf("%d games to learn from", len(data.Played))
	}
	batches := 0
	one, err := l.Fit(t.Context(), data, func(done, of int) {
		if batches++; done != batches || of != 3 {
			t.Errorf("%d of %d batches, want %d of 3", done, of, batches)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	l.Workers = 3
	three, err := l.Fit(t.Context(), data, nil)
	if err != nil || *three.Weights != *one.Weights || three.Loss != one.Loss {
		t.Errorf("three workers learn other weights than one: %v, %v; %v", three.Loss, one.Loss, err)
	}
	l.Seed = 2
	if other, err := l.Fit(t.Context(), data, nil); err != nil || *other.Weights == *one.Weights {
		t.Errorf("another order of the games teaches the same; %v", err)
	}
}

// The leaf of a search has its score, but where a table's line ends early, or defences
// follow that the line leaves out; the board is left as it was.
func TestLeavesHaveTheScore(t *testing.T) {
	l, data := taught(t, "freestyle", 15)
	l.Depth = 3
	w, err := newLearner(&l)
	if err != nil {
		t.Fatal(err)
	}
	weights := classical.HandWeights(l.Rules)
	w.model, w.weights = classical.NewModel(l.Rules, weights), vector(weights)
	same, all, decided := 0, 0, 0
	for _, g := range data.Played {
		b, err := pattern.New(g.Rules, g.Size)
		if err != nil {
			t.Fatal(err)
		}
		w.searcher.Clear()
		for _, m := range g.Moves {
			hash := b.Hash()
			var leaves regression.Rows
			p, err := w.judge(t.Context(), b, &leaves)
			if err != nil || b.Hash() != hash {
				t.Fatalf("the board has changed, or %v", err)
			}
			w.searcher.Clear()
			r, err := w.searcher.Search(t.Context(), b, alphabeta.Limits{Depth: l.Depth})
			if err != nil {
				t.Fatal(err)
			}
			score := forFirst(float64(r.Score), b.ToMove())
			if p.leaf < 0 {
				decided++
				if p.value != 0.5 && p.value > 1e-9 && p.value < 1-1e-9 {
					t.Errorf("a decided position has the value %v", p.value)
				}
			} else {
				all++
				if math.Abs(p.value-regression.Probability(score)) < 0.01 {
					same++
				}
			}
			b.Play(m)
		}
	}
	t.Logf("%d of %d leaves have the score, %d positions are decided", same, all, decided)
	if all == 0 || decided == 0 || float64(same) < 0.9*float64(all) {
		t.Errorf("%d of %d leaves have the score, %d positions are decided", same, all, decided)
	}
}

func TestTDLeafRefuses(t *testing.T) {
	good, data := taught(t, "freestyle", 60)
	for name, c := range map[string]struct {
		change func(*TDLeaf)
		want   string
	}{
		"lambda": {func(l *TDLeaf) { l.Lambda = 1.1 }, "0..1"}, "no lambda": {func(l *TDLeaf) { l.Lambda = math.NaN() }, "0..1"},
		"depth": {func(l *TDLeaf) { l.Depth = 0 }, "depth"}, "deep": {func(l *TDLeaf) { l.Depth = 101 }, "depth"},
		"rate": {func(l *TDLeaf) { l.Rate = 0 }, "rate"}, "endless": {func(l *TDLeaf) { l.Rate = math.Inf(1) }, "rate"},
		"passes": {func(l *TDLeaf) { l.Passes = 0 }, "passes"}, "other rules": {func(l *TDLeaf) { l.Rules = lookup(t, "caro") }, "want caro"},
	} {
		l := good
		c.change(&l)
		if _, err := l.Fit(t.Context(), data, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	few := collected(t, "freestyle", 20, 9).Collected()
	if _, err := good.Fit(t.Context(), few, nil); err == nil || !strings.Contains(err.Error(), "at least 50") {
		t.Errorf("20 games: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := good.Fit(ctx, data, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// flatPrior lets each weight stray by itself.
func flatPrior(means []float64, deviation float64) regression.Prior {
	p := regression.Prior{Mean: means}
	for i := range means {
		p.Factors = append(p.Factors, []regression.Load{{Weight: i, Amount: deviation}})
	}
	return p
}

func drawWeights(rng *rand.Rand, features int, spread float64) []float64 {
	w := make([]float64, 2*features)
	for i := range w {
		w[i] = spread * rng.NormFloat64()
	}
	return w
}

// drawRow returns a row over some features, each at most once.
func drawRow(rng *rand.Rand, features int) regression.Row {
	row := regression.Row{Phase: rng.Float32(), Target: float32(rng.IntN(3)) / 2}
	for f := range features {
		if n := rng.IntN(7) - 3; n != 0 {
			row.Terms = append(row.Terms, regression.Term{Feature: uint16(f), Count: int16(n)})
		}
	}
	return row
}
