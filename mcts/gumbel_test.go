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

// banditValue is what the bandit's network says of its root.
const banditValue = 0.25

// bandit answers every position below a root by the value of the root's move that
// led there, so that each move has the same mean whatever its visits.
type bandit struct {
	*testEvaluator
	priors []float32          // of the root's moves, ascending
	values map[uint64]float64 // by the hash after the move: for the root's side
	moves  map[uint64]game.Move
}

func newBandit(root game.Position, seed uint64) *bandit {
	rng := rand.New(rand.NewPCG(seed, 0))
	b := &bandit{values: map[uint64]float64{}, moves: map[uint64]game.Move{}}
	ply := root.Ply()
	sum := float32(0)
	for _, m := range root.Moves(nil) {
		b.priors = append(b.priors, float32(rng.ExpFloat64())+0.01)
		sum += b.priors[len(b.priors)-1]
		root.Play(m)
		b.values[root.Hash()], b.moves[root.Hash()] = float64(float32(2*rng.Float64()-1)), m
		root.Undo()
	}
	for i := range b.priors {
		b.priors[i] /= sum
	}
	b.testEvaluator = &testEvaluator{capacity: 64, eval: func(pos game.Position, moves []game.Move, out *nn.Result) {
		below := pos.Clone()
		for below.Ply() > ply+1 {
			below.Undo()
		}
		if below.Ply() == ply {
			equal(out, banditValue)
			copy(out.Priors, b.priors)
			return
		}
		v := float32(b.values[below.Hash()])
		if pos.ToMove() != root.ToMove() {
			v = -v
		}
		equal(out, v)
	}}
	return b
}

// gumbels returns the numbers of a search by move order.
func gumbels(seed uint64, n int) []float64 {
	src := rand.NewPCG(seed, gumbelStream)
	out := make([]float64, n)
	for i := range out {
		out[i] = -math.Log(-math.Log(uniform(src)))
	}
	return out
}

// arm is a move of the reference.
type arm struct {
	move        game.Move
	base, value float64 // g + logit; the move's mean
	prior       float64
	visits      int
}

// reference distributes playouts by the definition, among moves of constant value.
type reference struct {
	all                  []*arm // by base, the largest first
	considered, playouts int
	g                    Gumbel
}

func newReference(b *bandit, root game.Position, seed uint64, g Gumbel, playouts int) *reference {
	w := &reference{considered: min(g.Considered, playouts), playouts: playouts, g: g}
	numbers, moves := gumbels(seed, len(b.priors)), root.Moves(nil)
	for h, m := range b.moves {
		i, _ := slices.BinarySearch(moves, m)
		w.all = append(w.all, &arm{m, numbers[i] + math.Log(float64(b.priors[i])), b.values[h], float64(b.priors[i]), 0})
	}
	slices.SortFunc(w.all, func(a, b *arm) int { return int(math.Copysign(1, b.base-a.base)) })
	return w
}

// order puts arms in the order of g + logit + sigma(completed q).
func (w *reference) order(list []*arm) {
	total, most, mass, sum := 0.0, 0, 0.0, 0.0
	for _, a := range w.all {
		if a.visits > 0 {
			total, most = total+float64(a.visits), max(most, a.visits)
			mass, sum = mass+a.prior, sum+a.prior*a.value
		}
	}
	mixed := (banditValue + total*sum/mass) / (1 + total)
	score := func(a *arm) float64 {
		q := mixed
		if a.visits > 0 {
			q = a.value
		}
		return a.base + (50+float64(most))*w.g.Scale*q
	}
	slices.SortStableFunc(list, func(a, b *arm) int { return int(math.Copysign(1, score(b)-score(a))) })
}

// play spends the playouts and returns the move to choose.
func (w *reference) play() game.Move {
	m, n := w.considered, w.playouts
	phases := int(math.Ceil(math.Log2(float64(m))))
	for field, spent := slices.Clone(w.all[:m]), 0; spent < n; {
		rounds := n
		if m > 1 {
			rounds = max(1, n/(phases*len(field)))
		}
		for range rounds {
			for _, a := range field {
				if spent < n {
					a.visits, spent = a.visits+1, spent+1
				}
			}
		}
		if spent < n {
			w.order(field)
			field = field[:min(len(field), max(2, len(field)/2))]
		}
	}
	most := slices.MaxFunc(w.all, func(a, b *arm) int { return a.visits - b.visits }).visits
	left := slices.DeleteFunc(slices.Clone(w.all[:m]), func(a *arm) bool { return a.visits < most })
	w.order(left)
	return left[0].move
}

// On moves of known value the visits and the choice are what the definition says,
// whatever is in flight.
func TestSequentialHalvingByDefinition(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		root := gametest.NewMNK(7, 7, 7)
		b, n := newBandit(root, seed), 1+rng.IntN(120)
		g := Gumbel{Considered: 1 + rng.IntN(20), Scale: 0.02 + rng.Float64()/4}
		s := New(Options{InFlight: 1 + rng.IntN(9)}, b, nil)
		if err := s.SetPosition(root); err != nil {
			t.Fatal(err)
		}
		var r Result
		if err := s.Search(t.Context(), Limits{Playouts: n + 1, Root: g.Policy(), Seed: seed}); err != nil {
			t.Fatal(err)
		}
		got := s.Choice(&r)
		check(t, s)

		w := newReference(b, root, seed, g, n)
		if want := w.play(); got != want {
			t.Fatalf("seed %d: the choice is %d, want %d", seed, got, want)
		}
		for _, a := range w.all {
			if v := int(r.child(t, a.move).Visits); v != a.visits {
				t.Fatalf("seed %d, %d playouts: move %d has %d visits, want %d", seed, n, a.move, v, a.visits)
			}
		}
	}
}

// slowImprove is the improved policy by its definition.
func slowImprove(g Gumbel, r *Result) (shares []float64, value float64) {
	wins, open := 0, 0
	for _, c := range r.Children {
		if c.Proven == game.Won {
			wins++
		}
		if c.Proven != game.Lost {
			open++
		}
	}
	n, most, mass, sum := 0.0, 0.0, 0.0, 0.0
	for _, c := range r.Children {
		if c.Visits > 0 && c.Proven != game.Lost {
			n, most = n+float64(c.Visits), math.Max(most, float64(c.Visits))
			mass, sum = mass+float64(c.Prior), sum+float64(c.Prior)*float64(c.Q)
		}
	}
	mixed := float64(r.NetValue)
	if n > 0 {
		mixed = (mixed + n*sum/mass) / (1 + n)
	}
	total := 0.0
	for _, c := range r.Children {
		q := mixed
		if c.Visits > 0 || c.Proven != game.Unproven {
			q = float64(c.Q)
		}
		share := float64(c.Prior) * math.Exp((g.Visits+most)*g.Scale*q)
		switch {
		case wins > 0 && c.Proven == game.Won:
			share = 1
		case wins > 0, open > 0 && c.Proven == game.Lost:
			share = 0
		}
		shares = append(shares, share)
		total += share
	}
	for i, c := range r.Children {
		q := mixed
		if c.Visits > 0 || c.Proven != game.Unproven {
			q = float64(c.Q)
		}
		shares[i] /= total
		value += shares[i] * q
	}
	return shares, value
}

func TestImproveIsWhatItsDefinitionSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &Result{NetValue: rapid.Float32Range(-1, 1).Draw(t, "net")}
		for i := range rapid.IntRange(1, 12).Draw(t, "moves") {
			c := Child{Move: game.Move(i), Prior: rapid.Float32Range(1e-6, 1).Draw(t, "prior")}
			if rapid.Bool().Draw(t, "visited") {
				c.Visits, c.Q = rapid.Uint32Range(1, 60).Draw(t, "visits"), rapid.Float32Range(-1, 1).Draw(t, "q")
			}
			if c.Proven = rapid.SampledFrom([]game.Result{game.Unproven, game.Unproven, game.Unproven, game.Drawn, game.Lost,
				game.Lost, game.Won}).Draw(t, "proof"); c.Proven != game.Unproven {
				c.Q = c.Proven.Value()
			}
			r.Children = append(r.Children, c)
		}
		g := Gumbel{Visits: rapid.Float64Range(1, 100).Draw(t, "c_visit"),
			Scale: rapid.Float64Range(0.01, 2).Draw(t, "c_scale")}
		got := make([]float64, len(r.Children))
		value := g.Improve(r, got)
		want, wantValue := slowImprove(g, r)
		for i := range got {
			if math.Abs(got[i]-want[i]) > 1e-9 {
				t.Fatalf("share %d is %v, want %v", i, got[i], want[i])
			}
		}
		if math.Abs(value-wantValue) > 1e-9 {
			t.Fatalf("value %v, want %v", value, wantValue)
		}
	})
}

// Where things are proven the tree stays in order, the choice is never a proven
// loss beside others, and a win is taken.
func TestGumbelWithProofs(t *testing.T) {
	proven, lost := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		pos := genPosition(t)
		mock := nn.NewMock(rapid.Uint64().Draw(t, "net"))
		o := genOptions(t)
		l := Limits{
			Playouts: rapid.IntRange(2, 60).Draw(t, "playouts"), Seed: rapid.Uint64().Draw(t, "seed"),
			Root: Gumbel{Considered: rapid.IntRange(1, 9).Draw(t, "considered")}.Policy(),
		}
		s := New(o, mock, nil)
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		r := more(t, s, l)
		best := r.child(t, s.Choice(r))
		chosen := best.Proven
		left := func(p game.Result) bool {
			return slices.ContainsFunc(r.Children, func(c Child) bool { return c.Proven == p })
		}
		if r.Proven != game.Unproven {
			proven++
		}
		if left(game.Lost) {
			lost++
		}
		switch {
		case left(game.Won) && chosen != game.Won:
			t.Fatalf("a win is left for a %v", chosen)
		case chosen == game.Lost && (left(game.Unproven) || left(game.Drawn)):
			t.Fatal("a proven loss is chosen")
		}
		for _, c := range r.Children {
			if c.Proven == game.Won && c.Plies < best.Plies || r.Proven == game.Lost && c.Plies > best.Plies {
				t.Fatalf("%+v is chosen beside %+v", best, c)
			}
		}
		if err := s.Advance(r.Move); err != nil {
			t.Fatal(err)
		}
		if s.pos.Outcome() == game.Undecided {
			more(t, s, l) // with visits from before
			s.Choice(r)
		}
	})
	if proven == 0 || lost == 0 && !testing.Short() { // a fifth of the cases, then
		t.Errorf("%d roots proven, %d with lost moves: the test shows too little", proven, lost)
	}
}
