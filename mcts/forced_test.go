package mcts

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
	"pgregory.net/rapid"
)

// owed returns how many of the root's open children with visits have fewer than so
// many of their forced playouts, short by more than one.
func owed(tb testing.TB, s *Searcher, r *Result, k float64) (n int) {
	sum := 0.0
	for _, c := range r.Children {
		sum += float64(c.Visits)
	}
	for m, p := range rootPriors(s) {
		c := r.child(tb, m)
		if c.Visits > 0 && c.Proven == Unknown && float64(c.Visits) < math.Floor(math.Sqrt(k*float64(p)*sum))-1 {
			n++
		}
	}
	return n
}

// Every child that was visited at all gets its forced playouts, which without the
// limit some do not get.
func TestForcedPlayouts(t *testing.T) {
	without := 0
	for seed := range uint64(8) {
		for _, inFlight := range []int{1, 2, 7} {
			mock := nn.NewMock(seed)
			mock.Sharp = true
			o, l := Options{InFlight: inFlight, NoiseTotal: 3}, Limits{Playouts: 400, Noise: true, Seed: seed}
			s, r := search(t, gametest.NewMNK(8, 8, 5), o, mock, l)
			without += owed(t, s, r, 2)
			l.Forced = 2
			if s, r = search(t, gametest.NewMNK(8, 8, 5), o, mock, l); owed(t, s, r, 2) > 0 {
				t.Errorf("seed %d, %d in flight: %d children have not got their playouts", seed, inFlight, owed(t, s, r, 2))
			}
		}
	}
	if without == 0 {
		t.Error("every child gets as many without being forced: the test shows nothing")
	}
}

// slowPrune is Prune by its definition, a number of visits at a time.
func slowPrune(s *Searcher, children []Child, k float64) []uint32 {
	nd := &s.tree.nodes[0]
	priors := rootPriors(s)
	n, c0 := float64(nd.visits), float64(s.opts.CInit)
	c := math.Log((1+n+float64(s.opts.CBase))/float64(s.opts.CBase)) + c0
	width := 1.0
	if nd.proof() == Unknown && s.opts.Spread > 0 {
		width = 1 + float64(s.opts.Spread)*(nd.deviation()/usualDeviation-1)
	}
	puct := func(c1 *Child, visits uint32) float64 {
		return float64(c1.Q) + width*c*float64(priors[c1.Move])*math.Sqrt(n)/(1+float64(visits))
	}
	var best *Child
	sum := 0.0
	for i := range children {
		sum += float64(children[i].Visits)
		if children[i].Proven != Loss && children[i].Visits > 0 && (best == nil || children[i].Visits > best.Visits) {
			best = &children[i]
		}
	}
	kept := make([]uint32, len(children))
	for i := range children {
		ch := &children[i]
		kept[i] = ch.Visits
		if best == nil || ch == best {
			continue
		}
		if ch.Proven == Loss {
			kept[i] = 0
			continue
		}
		forced := uint32(math.Sqrt(k * float64(priors[ch.Move]) * sum))
		for x := uint32(1); x <= forced && x <= ch.Visits; x++ {
			if puct(ch, ch.Visits-x) >= puct(best, best.Visits) {
				break
			}
			kept[i] = ch.Visits - x
		}
		if kept[i] == 1 {
			kept[i] = 0
		}
	}
	return kept
}

func TestPruneIsWhatItsDefinitionSays(t *testing.T) {
	cut, spared := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var pos game.Position = gametest.NewMNK(7, 7, 4)
		if rapid.Bool().Draw(t, "small") {
			pos = genPosition(t)
		}
		mock := nn.NewMock(rapid.Uint64().Draw(t, "net"))
		mock.Sharp = rapid.Bool().Draw(t, "sharp")
		o := genOptions(t)
		l := Limits{Playouts: rapid.IntRange(2, 300).Draw(t, "playouts"), Noise: true, Seed: rapid.Uint64().Draw(t, "seed"), Forced: 2}
		s, r := search(t, pos, o, mock, l)
		kept := make([]uint32, len(r.Children))
		s.Prune(r.Children, kept)
		want := slowPrune(s, r.Children, 2)
		for i := range kept {
			if kept[i] != want[i] {
				t.Fatalf("child %d of %d visits keeps %d, want %d", i, r.Children[i].Visits, kept[i], want[i])
			}
			if kept[i] < r.Children[i].Visits {
				cut++
			} else if kept[i] > 1 {
				spared++
			}
		}
	})
	if cut == 0 || spared == 0 {
		t.Errorf("%d children lost visits and %d kept theirs: the test shows too little", cut, spared)
	}
}

// Steered roots take no memory for a playout.
func TestSteeredSearchesAllocateNothing(t *testing.T) {
	mock := nn.NewMock(5)
	mock.Immediate = true
	pos := gametest.NewMNK(8, 8, 5)
	for name, l := range map[string]Limits{
		"forced": {Playouts: 200, Noise: true, Forced: 2}, "gumbel": {Playouts: 200, Gumbel: Gumbel{Considered: 16}},
	} {
		s := New(Options{}, mock, nil)
		rng := rand.New(rand.NewPCG(1, 1))
		run := func() {
			s.drop()
			l.Seed = rng.Uint64()
			s.Begin(t.Context(), l)
			for !s.Done() {
				s.Select()
				s.Backup(nn.All)
			}
		}
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		run()
		run()
		if n := testing.AllocsPerRun(20, run); n > 0 {
			t.Errorf("%s: %v allocations a search", name, n)
		}
	}
}
