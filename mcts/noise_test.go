package mcts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
)

// TestDirichletMoments compares mean and variance of one component with the
// distribution's: 1/n and (n-1)/(n^2 (total+1)).
func TestDirichletMoments(t *testing.T) {
	for _, n := range []int{2, 10, 225} {
		const total, samples = 10.83, 20000
		src := rand.NewPCG(1, uint64(n))
		out := make([]float64, n)
		mean, square := 0.0, 0.0
		for range samples / n * 4 {
			dirichlet(out, total, src)
			sum := 0.0
			for _, x := range out {
				if x < 0 || x > 1 {
					t.Fatalf("component %v", x)
				}
				sum += x
				mean += x
				square += x * x
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("components sum to %v", sum)
			}
		}
		count := float64(samples / n * 4 * n)
		mean, square = mean/count, square/count
		want := float64(n-1) / (float64(n) * float64(n) * (total + 1))
		if got := square - mean*mean; math.Abs(got-want) > 0.08*want {
			t.Errorf("n=%d: variance %v, want %v", n, got, want)
		}
	}
}

// rootPriors returns the root's current priors by move.
func rootPriors(s *Searcher) map[game.Move]float32 {
	nd := &s.tree.nodes[0]
	priors := map[game.Move]float32{}
	for i, m := range s.tree.moves[nd.edges:][:nd.n] {
		priors[m] = s.tree.priors[nd.edges:][i]
	}
	return priors
}

func same(a, b map[game.Move]float32) bool {
	for m := range a {
		if a[m] != b[m] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestDirichletOfTinyShapes(t *testing.T) {
	for _, total := range []float64{math.SmallestNonzeroFloat64, 1e-320, 1e-306, 1e-9} {
		out, sum := make([]float64, 81), 0.0
		dirichlet(out, total, rand.NewPCG(1, 2))
		for _, x := range out {
			sum += x
		}
		if !(math.Abs(sum-1) < 1e-12) {
			t.Errorf("total %v: components sum to %v", total, sum)
		}
	}
}

func TestNoiseIsAFunctionOfTheSeed(t *testing.T) {
	pos := gametest.NewMNK(6, 6, 6)
	noisy := func(seed uint64, playouts int) (map[game.Move]float32, *Result) {
		s, r := search(t, pos, Options{}, nn.NewMock(1), Limits{Playouts: playouts, Noise: true, Seed: seed})
		return rootPriors(s), r
	}
	s, plain := search(t, pos, Options{}, nn.NewMock(1), Limits{Playouts: 100})
	clean := rootPriors(s)
	one, r := noisy(1, 100)
	again, _ := noisy(1, 10)
	two, _ := noisy(2, 100)
	if !same(one, again) || same(one, two) || same(one, clean) {
		t.Error("the noise does not follow the seed")
	}
	for _, c := range r.Children {
		if c.Prior != plain.child(t, c.Move).Prior || c.Prior != clean[c.Move] {
			t.Fatalf("move %d is reported with a noisy prior", c.Move)
		}
	}
	for m, p := range one {
		if p < 0.75*clean[m]-1e-6 || p > 0.75*clean[m]+0.25+1e-6 {
			t.Fatalf("move %d: prior %v with noise, %v without", m, p, clean[m])
		}
	}
	// A root that was searched without noise gets the same noise, and loses it.
	more(t, s, Limits{Playouts: 50, Noise: true, Seed: 1})
	if !same(rootPriors(s), one) {
		t.Error("other noise on a root that was searched before")
	}
	more(t, s, Limits{Playouts: 50})
	if !same(rootPriors(s), clean) {
		t.Error("noise outlives its search")
	}
}

func TestNoiseOptions(t *testing.T) {
	o := Options{NoiseFraction: -1, NoiseTotal: 5}
	s, _ := search(t, gametest.NewMNK(6, 6, 6), o, nn.NewMock(1), Limits{Playouts: 10, Noise: true})
	plain, _ := search(t, gametest.NewMNK(6, 6, 6), o, nn.NewMock(1), Limits{Playouts: 10})
	if !same(rootPriors(s), rootPriors(plain)) {
		t.Error("noise although it is switched off")
	}
}

func TestNoiseOnReusedRoot(t *testing.T) {
	s, r := search(t, gametest.NewMNK(6, 6, 6), Options{}, nn.NewMock(1), Limits{Playouts: 500})
	if err := s.Advance(r.Move); err != nil {
		t.Fatal(err)
	}
	more(t, s, Limits{Playouts: 50, Noise: true, Seed: 9})
	fresh, _ := search(t, s.pos, Options{}, nn.NewMock(1), Limits{Playouts: 50, Noise: true, Seed: 9})
	if !same(rootPriors(s), rootPriors(fresh)) {
		t.Error("the noise depends on the history of the tree")
	}
}

func TestPick(t *testing.T) {
	children := []Child{
		{Move: 4, Visits: 60, Prior: 0.5}, {Move: 2, Visits: 30, Prior: 0.1}, {Move: 9, Visits: 10, Prior: 0.2},
		{Move: 1, Prior: 0.1}, {Move: 3, Visits: 900, Prior: 0.1, Proven: Loss, Plies: 4},
	}
	shares := func(children []Child, temperature float64) map[game.Move]float64 {
		rng, count := rand.New(rand.NewPCG(3, 4)), map[game.Move]float64{}
		for range 20000 {
			count[Pick(children, temperature, rng)] += 1.0 / 20000
		}
		return count
	}
	expect := func(name string, got map[game.Move]float64, want map[game.Move]float64) {
		t.Helper()
		for m := range game.Move(20) {
			if math.Abs(got[m]-want[m]) > 0.015 || want[m] == 0 && got[m] > 0 {
				t.Errorf("%s: move %d is picked in %.3f of cases, want %.3f", name, m, got[m], want[m])
			}
		}
	}
	expect("by visits", shares(children[:4], 1), map[game.Move]float64{4: 0.6, 2: 0.3, 9: 0.1})
	expect("sharpened", shares(children[:4], 0.5), map[game.Move]float64{4: 3600.0 / 4600, 2: 900.0 / 4600, 9: 100.0 / 4600})
	expect("a loss", shares(children, 1), map[game.Move]float64{4: 0.6, 2: 0.3, 9: 0.1})
}

func TestPickProven(t *testing.T) {
	tests := []struct {
		name     string
		children []Child
		want     game.Move
	}{
		{"nothing", nil, game.NoMove},
		{"most visits", []Child{{Move: 1, Visits: 3}, {Move: 2, Visits: 4}}, 2},
		{"higher prior", []Child{{Move: 1, Visits: 4, Prior: 0.1}, {Move: 2, Visits: 4, Prior: 0.2}}, 2},
		{"shortest win", []Child{{Move: 1, Proven: Win, Plies: 5, Visits: 9}, {Move: 2, Proven: Win, Plies: 3}, {Move: 3, Visits: 99}}, 2},
		{"longest loss", []Child{{Move: 1, Proven: Loss, Plies: 4, Visits: 9}, {Move: 2, Proven: Loss, Plies: 6}}, 2},
		{"no loss", []Child{{Move: 1, Proven: Loss, Plies: 4, Visits: 9}, {Move: 2}}, 2},
		{"draw above a bad move", []Child{{Move: 1, Visits: 90, Q: -0.2}, {Move: 2, Proven: Draw, Visits: 3}}, 2},
		{"good move above a draw", []Child{{Move: 1, Visits: 90, Q: 0.2}, {Move: 2, Proven: Draw, Visits: 3}}, 1},
	}
	for _, tt := range tests {
		if got := Pick(tt.children, 0, nil); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
		slices.Reverse(tt.children)
		if got := Pick(tt.children, 0, nil); got != tt.want {
			t.Errorf("%s, reversed: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestSchedule(t *testing.T) {
	s := Schedule{Start: 0.8, End: 0.2, HalfLife: 10}
	for ply, want := range map[int]float64{0: 0.8, 10: 0.5, 20: 0.35, 10000: 0.2} {
		if got := s.At(ply); math.Abs(got-want) > 1e-9 {
			t.Errorf("after %d plies %v, want %v", ply, got, want)
		}
	}
	if got := (Schedule{Start: 1, End: 0.3}).At(0); got != 0.3 {
		t.Errorf("without a half-life %v", got)
	}
}
