package mcts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
	"pgregory.net/rapid"
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

func TestPick(t *testing.T) {
	children := []Child{
		{Move: 4, Visits: 60, Prior: 0.5}, {Move: 2, Visits: 30, Prior: 0.1}, {Move: 9, Visits: 10, Prior: 0.2},
		{Move: 1, Prior: 0.1}, {Move: 3, Visits: 900, Prior: 0.1, Proven: game.Lost, Plies: 4},
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
	expect("sharpened", shares(children[:4], 0.5),
		map[game.Move]float64{4: 3600.0 / 4600, 2: 900.0 / 4600, 9: 100.0 / 4600})
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
		{"shortest win", []Child{{Move: 1, Proven: game.Won, Plies: 5, Visits: 9}, {Move: 2, Proven: game.Won, Plies: 3},
			{Move: 3, Visits: 99}}, 2},
		{"longest loss", []Child{{Move: 1, Proven: game.Lost, Plies: 4, Visits: 9}, {Move: 2, Proven: game.Lost, Plies: 6}},
			2},
		{"no loss", []Child{{Move: 1, Proven: game.Lost, Plies: 4, Visits: 9}, {Move: 2}}, 2},
		{"draw above a bad move", []Child{{Move: 1, Visits: 90, Q: -0.2}, {Move: 2, Proven: game.Drawn, Visits: 3}}, 2},
		{"good move above a draw", []Child{{Move: 1, Visits: 90, Q: 0.2}, {Move: 2, Proven: game.Drawn, Visits: 3}}, 1},
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

// drawn returns a restriction by a table of draws: which moves are barred may
// depend on the side and on the ply.
func drawn(t *rapid.T, moves int) *Restriction {
	plies := rapid.IntRange(1, 4).Draw(t, "plies")
	bars := rapid.SliceOfN(rapid.Bool(), 2*plies*moves, 2*plies*moves).Draw(t, "bars")
	return &Restriction{Plies: plies, Barred: func(ply int, side game.Side, m game.Move) bool {
		return bars[(2*ply+int(side))*moves+int(m)]
	}}
}

// allowed returns the moves that may be searched, by the definition of Restriction.
func (r *Restriction) allowed(ply int, pos game.Position) map[game.Move]bool {
	moves := map[game.Move]bool{}
	for _, m := range pos.Moves(nil) {
		if ply >= r.Plies || !r.Barred(ply, pos.ToMove(), m) {
			moves[m] = true
		}
	}
	if len(moves) == 0 {
		for _, m := range pos.Moves(nil) {
			moves[m] = true
		}
	}
	return moves
}

// restricted checks of all nodes below a node that the edges are the moves that may be
// searched, and that proofs are true.
func restricted(t *rapid.T, s *Searcher, r *Restriction, id uint32, pos game.Position, ply int) {
	nd := &s.tree.nodes[id]
	if nd.proof() != game.Unproven {
		exactly(t, pos, nd.proof(), nd.plies())
	}
	if nd.n == 0 {
		return
	}
	want := r.allowed(ply, pos)
	sum := float32(0)
	for i := range int(nd.n) {
		m := s.tree.moves[nd.edges+uint32(i)]
		if sum += s.tree.priors[nd.edges+uint32(i)]; !want[m] {
			t.Fatalf("%d plies below the root the barred move %d has an edge", ply, m)
		}
	}
	if len(want) != int(nd.n) || sum < 0.999 || sum > 1.001 {
		t.Fatalf("%d edges whose priors sum to %v, want %d", nd.n, sum, len(want))
	}
	for i := range int(nd.nKids) {
		m := s.tree.moves[nd.edges+uint32(i)]
		pos.Play(m)
		restricted(t, s, r, s.tree.kids[nd.kids+uint32(i)].node, pos, ply+1)
		pos.Undo()
	}
}

func TestBarredMovesAreNotLookedAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pos := game.Position(gametest.NewMNK(3, 3, 3))
		playOn(t, pos, 6)
		if pos.Outcome() != game.Undecided {
			return
		}
		r := drawn(t, 9)
		var solver Solver
		if rapid.Bool().Draw(t, "solver") {
			solver = shallow{plies: 3}
		}
		s := New(genOptions(t), nn.NewMock(rapid.Uint64().Draw(t, "net")), solver)
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		l := Limits{Playouts: rapid.IntRange(1, 300).Draw(t, "playouts"), Restrict: r}
		if err := s.Search(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		restricted(t, s, r, 0, pos.Clone(), 0)
		var result Result
		s.Result(&result)
		if want := r.allowed(0, pos); !want[result.Move] || result.Playouts != l.Playouts && result.Proven == game.Unproven {
			t.Fatalf("move %d, %d of %d playouts", result.Move, result.Playouts, l.Playouts)
		}
		for _, c := range result.Children {
			line, visits := s.Line(c.Move, nil, nil)
			if line[0] != c.Move || len(line) != len(visits) || c.Proven == game.Unproven && c.Visits > 0 &&
				visits[0] < int(c.Visits) {
				t.Fatalf("line %v with visits %v of a move with %d", line, visits, c.Visits)
			}
		}
	})
}

// owed returns how many of the root's open children with visits have fewer than so
// many of their forced playouts, short by more than one.
func owed(tb testing.TB, s *Searcher, r *Result, k float64) (n int) {
	sum := 0.0
	for _, c := range r.Children {
		sum += float64(c.Visits)
	}
	for m, p := range rootPriors(s) {
		c := r.child(tb, m)
		if c.Visits > 0 && c.Proven == game.Unproven && float64(c.Visits) < math.Floor(math.Sqrt(k*float64(p)*sum))-1 {
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
			l.Root = Forced(2)
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
	if nd.proof() == game.Unproven && s.opts.Spread > 0 {
		width = 1 + float64(s.opts.Spread)*(nd.deviation()/usualDeviation-1)
	}
	puct := func(c1 *Child, visits uint32) float64 {
		return float64(c1.Q) + width*c*float64(priors[c1.Move])*math.Sqrt(n)/(1+float64(visits))
	}
	var best *Child
	sum := 0.0
	for i := range children {
		sum += float64(children[i].Visits)
		if children[i].Proven != game.Lost && children[i].Visits > 0 && (best == nil || children[i].Visits > best.Visits) {
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
		if ch.Proven == game.Lost {
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
		l := Limits{Playouts: rapid.IntRange(2, 300).Draw(t, "playouts"), Noise: true, Seed: rapid.Uint64().Draw(t, "seed"),
			Root: Forced(2)}
		s, r := search(t, pos, o, mock, l)
		kept := make([]uint32, len(r.Children))
		Forced(2).Prune(s, r.Children, kept)
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
