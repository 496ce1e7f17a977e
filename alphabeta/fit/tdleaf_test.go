package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/carozero/carozero/game"
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
				var l lesson
				at, side := places/2, game.Side(rng.IntN(2))
				for ; at >= 0 && at < places; at += 2*rng.IntN(2) - 1 {
					row := Row{Terms: []Term{{Feature: uint16(at), Count: 1 - 2*int16(side)}}, Phase: rng.Float32()}
					l = append(l, judged{value: Probability(forFirst(row.Score(s.weights), side)), leaf: &row, side: side})
				}
				l.set(float64(min(at+1, 1)), lambda)
				lessons = append(lessons, l)
			}
			s.learn(lessons, 1-float64(b)/batches)
		}
		for at := range places {
			for _, w := range []float64{s.weights[at], s.weights[places+at]} {
				if got, want := Probability(w), float64(at+1)/(places+1); math.Abs(got-want) > 0.04 {
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
		var positions lesson
		for range 1 + rng.IntN(6) {
			if rng.IntN(4) == 0 {
				positions = append(positions, judged{value: float64(rng.IntN(2))})
				continue
			}
			row, side := drawRow(rng, features), game.Side(rng.IntN(2))
			value := Probability(forFirst(row.Score(weights), side))
			positions = append(positions, judged{value: value, leaf: &row, side: side})
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
				if p.leaf != nil {
					s += ahead[at] * Probability(forFirst(p.leaf.Score(w), p.side))
				}
			}
			return s
		}
		gradient := make([]float64, len(weights))
		positions.set(result, lambda)
		positions.addGradient(gradient)
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

// Workers change nothing, the order of the games does.
func TestTDLeafIsReproducible(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, g := range []Game{Gomoku(lookup(t, "renju")), Onitama()} {
		data := collected(t, g, LeastGames)
		l := TDLeaf{Lambda: DefaultLambda, Depth: 1, Rate: 0.1, Passes: 1, Seed: 1}
		fit := func() Result {
			batches := 0
			r, err := l.Fit(t.Context(), data, func(done, of int) {
				if batches++; done != batches || of != 3 {
					t.Errorf("%d of %d batches, want %d of 3", done, of, batches)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		one := fit()
		l.Workers = 3
		if three := fit(); !slices.Equal(three.Weights, one.Weights) {
			t.Error("three workers learn other weights than one")
		}
		l.Seed = 2
		if slices.Equal(fit().Weights, one.Weights) {
			t.Error("another order of the games teaches the same")
		}
	}
}
