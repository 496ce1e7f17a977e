package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/internal/front/arena"
)

// climb has a method maximise f, whose differences it gets with noise.
func climb(t *testing.T, parameters []Parameter, o SPSAOptions, noise float64, f func(v []float64) float64) []float64 {
	t.Helper()
	s, err := NewSPSA(parameters, o)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	for range o.Trials {
		trial := s.Propose()
		s.Tell(f(trial.A) - f(trial.B) + noise*rng.NormFloat64())
	}
	best, _ := s.Best()
	return best
}

// Parameters of very different size come to the top of a noisy parabola, in which they
// also lean on each other, to half a step.
func TestSPSAFindsTheTopOfAParabola(t *testing.T) {
	parameters := []Parameter{
		{Name: "a", Start: 1, Min: 0, Max: 10, Step: 0.1}, {Name: "b", Start: 3000, Min: 100, Max: 9000, Step: 200},
		{Name: "c", Start: 40, Min: 1, Max: 90, Step: 3, Whole: true},
	}
	top := []float64{1.7, 1900, 58}
	for seed := range uint64(10) {
		best := climb(t, parameters, SPSAOptions{Trials: 2000, Pairs: 8, Seed: seed}, 0.2, func(v []float64) float64 {
			x, y, z := (v[0]-top[0])/0.1, (v[1]-top[1])/200, (v[2]-top[2])/3
			return -0.02 * (x*x + y*y + z*z + 0.5*x*y)
		})
		for i, p := range parameters {
			if off := (best[i] - top[i]) / p.Step; math.Abs(off) > 0.75 {
				t.Errorf("seed %d: %s is %g, %.2f steps from %g", seed, p.Name, best[i], off, top[i])
			}
		}
		if best[2] != math.Round(best[2]) {
			t.Errorf("%g is no whole number", best[2])
		}
	}
}

// Along the bent valley of Rosenbrock's function it goes from one end to the other.
func TestSPSAFollowsABentValley(t *testing.T) {
	parameters := []Parameter{{Name: "x", Start: -1.2, Min: -3, Max: 3, Step: 0.05}, {Name: "y", Start: 1, Min: -3, Max: 3, Step: 0.05}}
	f := func(v []float64) float64 {
		return -((1-v[0])*(1-v[0]) + 10*(v[1]-v[0]*v[0])*(v[1]-v[0]*v[0]))
	}
	for seed := range uint64(5) {
		best := climb(t, parameters, SPSAOptions{Trials: 6000, Pairs: 8, Seed: seed}, 0.05, f)
		if math.Hypot(best[0]-1, best[1]-1) > 0.25 {
			t.Errorf("seed %d: %v, want 1 1; it began %g below the top and is %g below", seed, best, -f([]float64{-1.2, 1}), -f(best))
		}
	}
}

// A top beyond the range is looked for at its end, and nothing beyond is played.
func TestSPSAKeepsToTheRange(t *testing.T) {
	p := []Parameter{{Name: "a", Start: 1, Min: 0.5, Max: 2, Step: 0.1}}
	best := climb(t, p, SPSAOptions{Trials: 300, Pairs: 8, Seed: 1}, 0.1, func(v []float64) float64 {
		if v[0] < 0.5 || v[0] > 2 {
			t.Errorf("%g was played", v[0])
		}
		return v[0]
	})
	if best[0] < 1.9 {
		t.Errorf("%g, want 2", best[0])
	}
}

// pairsOf draws the pairs of players of an Elo difference, with draws.
func pairsOf(rng *rand.Rand, elo float64, n int) (counts [5]int) {
	for range n {
		points := 0
		for range 2 {
			if rng.Float64() < 0.3 {
				points++
			} else if rng.Float64() < arena.Score(elo) {
				points += 2
			}
		}
		counts[points]++
	}
	return counts
}

// tuningGames has a method tune parameters whose top is top steps from the start, and loses
// so many Elo a step squared.
func tuningGames(t *testing.T, d, trials int, seed uint64, top, loss float64) (parameters []Parameter, known []Known, best []float64) {
	t.Helper()
	for i := range d {
		parameters = append(parameters, Parameter{Name: fmt.Sprint(i), Min: -50, Max: 50, Step: 1})
	}
	s, err := NewSPSA(parameters, SPSAOptions{Trials: trials, Pairs: 8, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	elo := func(v []float64) (sum float64) {
		for _, x := range v {
			sum -= loss * (x - top) * (x - top)
		}
		return sum
	}
	for range trials {
		trial := s.Propose()
		score := scoreOf(pairsOf(rng, elo(trial.A)-elo(trial.B), 8))
		known = append(known, Known{trial, score})
		s.Tell(score)
	}
	best, _ = s.Best()
	return parameters, known, best
}

// Of games whose results follow the Elo formula it finds the top to about half a step,
// and says by how much it may be off. Nothing is claimed, or hardly ever, where there is
// no top, or too few games to see it.
func TestErrorsHoldTheTop(t *testing.T) {
	for _, c := range []struct {
		d, trials   int
		top, loss   float64
		off         float64 // most, root mean square
		known, miss float64 // least and most part of the parameters
	}{
		{1, 1000, 0, 5, 0.5, 0.9, 0.1}, {3, 1000, 6, 5, 0.5, 0.9, 0.1}, {8, 1000, 6, 5, 0.5, 0.9, 0.1}, {3, 1000, 6, 1, 1.5, 0.1, 0.1},
		{3, 60, 6, 1, 6, 0, 0}, {3, 120, 0, 5, 1, 0, 0.05}, {3, 120, 6, 1, 6, 0, 0.05}, {3, 250, 6, 1, 3, 0, 0.05}, {1, 120, 0, 0, 9, 0, 0.1}, {8, 1000, 0, 0, 99, 0, 0.1},
	} {
		var n, known, missed, square float64
		for seed := range uint64(20) {
			parameters, trials, best := tuningGames(t, c.d, c.trials, seed, c.top, c.loss)
			for i, bound := range Errors(parameters, trials, best) {
				off := math.Abs(best[i] - c.top)
				n++
				square += off * off
				if !math.IsInf(bound, 1) {
					known++
					if off > bound || c.loss == 0 {
						missed++
					}
				}
			}
		}
		text := fmt.Sprintf("%+v: off %.2f, known %.2f, missed %.2f of all", c, math.Sqrt(square/n), known/n, missed/n)
		t.Log(text)
		if math.Sqrt(square/n) > c.off || known/n < c.known || missed/n > c.miss {
			t.Error(text)
		}
	}
}

// Whatever the method is, a trial's result counts by what was played: swapped sides
// with a swapped score tell the same.
func TestErrorsOfSwappedTrials(t *testing.T) {
	parameters, known, best := tuningGames(t, 2, 400, 3, 2, 5)
	swapped := slices.Clone(known)
	for i, k := range known {
		swapped[i] = Known{Trial{A: k.B, B: k.A}, -k.Score}
	}
	a, b := Errors(parameters, known, best), Errors(parameters, swapped, best)
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-9*a[i] {
			t.Errorf("%v, swapped %v", a, b)
		}
	}
	if few := Errors(parameters, known[:4], best); !math.IsInf(few[0], 1) || !math.IsInf(few[1], 1) {
		t.Errorf("four trials of two parameters claim %v", few)
	}
}
