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

// TestLowerBoundByDefinition finds the best move again from the values that
// arrived at each child, which an evaluator of its own records.
func TestLowerBoundByDefinition(t *testing.T) {
	differs := 0
	rapid.Check(t, func(t *rapid.T) {
		pos := gametest.NewMNK(5, 5, 5)
		o := Options{LCB: rapid.Float32Range(0.1, 5).Draw(t, "errors"), InFlight: rapid.IntRange(1, 4).Draw(t, "in flight")}
		e := &testEvaluator{eval: mocked(rapid.Uint64().Draw(t, "seed"), false), capacity: 4}
		s, r := search(t, pos, o, e, Limits{Playouts: genPlayouts(t, 300)})
		if r.Children[0].Proven != Unknown {
			t.Skip() // another draw: a proof decides here, not the bounds
		}
		nd := &s.tree.nodes[0]
		most := uint32(0)
		for _, c := range r.Children {
			most = max(most, c.Visits)
		}
		best, bound := r.Children[0], math.Inf(-1)
		for _, c := range r.Children {
			if c.Visits == 0 || 7*c.Visits < most || c.Proven != Unknown {
				continue
			}
			var values []float64
			if !s.tree.gather(nd.child(&s.tree, c), -1, &values) {
				t.Skip() // another draw: a move that is refuted below counts no more, as it did before
			}
			mean, squares := 0.0, 2*0.16
			for _, v := range values {
				mean += v / float64(len(values))
			}
			for _, v := range values {
				squares += (v - mean) * (v - mean)
			}
			n := float64(len(values))
			if low := mean - float64(o.LCB)*math.Sqrt(squares/(n+2)/n); low > bound+1e-4 {
				best, bound = c, low
			} else if low > bound-1e-4 {
				t.Skip() // another draw: these two are too close to tell apart
			}
		}
		if r.Move != best.Move {
			t.Fatalf("move %d, want %d with the bound %v", r.Move, best.Move, bound)
		}
		if best.Visits < most {
			differs++
		}
	})
	if differs == 0 {
		t.Error("the most visited move had the highest bound every time")
	}
}

// child returns the node of a root's child.
func (nd *node) child(t *tree, c Child) *node { return t.childBy(nd, c.Move) }

// gather appends the values that arrived at nd and below, seen with a sign; false if
// something is proven there.
func (t *tree) gather(nd *node, sign float64, values *[]float64) bool {
	own := nd.visits
	for _, k := range t.kids[nd.kids:][:nd.nKids] {
		own -= t.nodes[k.node].visits
		if t.nodes[k.node].proof() != Unknown || !t.gather(&t.nodes[k.node], -sign, values) {
			return false
		}
	}
	for range own {
		*values = append(*values, sign*float64(nd.value))
	}
	return true
}

// TestEarlyStop compares searches that stop early with whole ones: the most
// visited move is the same, and the rest of the budget could not have changed
// it.
func TestEarlyStop(t *testing.T) {
	stopped := 0
	rapid.Check(t, func(t *rapid.T) {
		o := genOptions(t)
		o.LCB = -1
		pos := gametest.NewMNK(5, 5, 5)
		e := testEvaluator{eval: mocked(rapid.Uint64().Draw(t, "seed"), true), capacity: 20}
		l := Limits{Playouts: genPlayouts(t, 200)}
		whole := e
		_, want := search(t, pos, o, &whole, l)
		o.EarlyStop = true
		_, r := search(t, pos, o, &e, l)
		if r.Proven != Unknown || want.Proven != Unknown || r.Children[0].Proven != Unknown {
			t.Skip() // another draw: a proof has ended one of the searches early
		}
		if r.Move != want.Move {
			t.Fatalf("move %d after %d playouts, %d after all %d", r.Move, r.Playouts, want.Move, want.Playouts)
		}
		if r.Stopped != (r.Playouts < l.Playouts) && r.Playouts != l.Playouts {
			t.Fatalf("stopped %v after %d of %d", r.Stopped, r.Playouts, l.Playouts)
		}
		if r.Stopped && r.Playouts < l.Playouts {
			stopped++
			left := l.Playouts - r.Playouts
			if lead := int(r.Children[0].Visits) - int(r.Children[1].Visits); lead <= left-o.InFlight {
				t.Fatalf("stopped with a lead of %d and %d playouts left", lead, left)
			}
		}
	})
	if stopped == 0 {
		t.Error("no search stopped early")
	}
}

// A proven win is played whatever the temperature, and where all is lost the longest
// loss.
func TestPickProvenAtATemperature(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, c := range map[string]struct {
		children []Child
		want     game.Move
	}{
		"a win":    {[]Child{{Move: 1, Visits: 99}, {Move: 2, Proven: Win, Plies: 3, Visits: 1}, {Move: 3, Proven: Win, Plies: 5, Visits: 50}}, 2},
		"all lost": {[]Child{{Move: 1, Proven: Loss, Plies: 2, Visits: 99}, {Move: 2, Proven: Loss, Plies: 6, Visits: 1}}, 2},
	} {
		for range 200 {
			if got := Pick(c.children, 1, rng); got != c.want {
				t.Fatalf("%s: %d, want %d", name, got, c.want)
			}
		}
	}
}

// SetPosition ends a search that has begun.
func TestSetPositionEndsASearch(t *testing.T) {
	s := New(Options{}, nn.NewUniform(1), nil)
	if err := s.SetPosition(gametest.NewMNK(5, 5, 4)); err != nil {
		t.Fatal(err)
	}
	s.Begin(t.Context(), Limits{Playouts: 10})
	if s.Done() {
		t.Fatal("it is over at once")
	}
	if err := s.SetPosition(gametest.NewMNK(3, 3, 3)); err != nil {
		t.Fatal(err)
	}
	if !s.Done() {
		t.Error("the search of the last position goes on in the next")
	}
	if r := more(t, s, Limits{Playouts: 10}); r.Playouts != 10 {
		t.Errorf("%d playouts in the next", r.Playouts)
	}
}

// Where a proof decides, a steered search chooses by it and not by its own scores.
func TestChoiceByProof(t *testing.T) {
	proven := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 0))
		pos := gametest.NewMNK(4, 4, 3)
		for range 2 + rng.IntN(4) {
			if pos.Outcome() == game.Undecided {
				moves := pos.Moves(nil)
				pos.Play(moves[rng.IntN(len(moves))])
			}
		}
		if pos.Outcome() != game.Undecided {
			continue
		}
		e := &testEvaluator{eval: mocked(rng.Uint64(), true), capacity: 8}
		s := New(Options{}, e, nil)
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		r := more(t, s, Limits{Playouts: 4 + rng.IntN(57), Seed: rng.Uint64(), Root: Gumbel{Considered: 4}.Policy()})
		got := s.Choice(r)
		if r.Proven == Unknown {
			continue
		}
		proven++
		best := r.child(t, got)
		for i := range r.Children {
			if c := &r.Children[i]; c.Proven == Win && (best.Proven != Win || c.Plies < best.Plies) || r.Proven == Loss && c.Plies > best.Plies {
				t.Fatalf("seed %d: %+v is chosen beside %+v", seed, best, c)
			}
		}
	}
	if proven < 10 {
		t.Errorf("only %d proofs", proven)
	}
}

// Before any search there is a choice as well, and it is the result's.
func TestChoiceWithoutASearch(t *testing.T) {
	s := New(Options{}, nn.NewUniform(1), nil)
	if err := s.SetPosition(gametest.NewMNK(3, 3, 3)); err != nil {
		t.Fatal(err)
	}
	r := more(t, s, Limits{Playouts: 30})
	if got := s.Choice(r); got != r.Move {
		t.Errorf("%d, the result has %d", got, r.Move)
	}
}

// A steered search values moves without a visit by all that have one, even a single
// one.
func TestScoresFromSingleVisits(t *testing.T) {
	for seed := range uint64(20) {
		e := &testEvaluator{eval: mocked(seed, true), capacity: 8}
		h := &halving{Gumbel: Gumbel{Considered: 8}}
		g := h.WithDefaults()
		s := New(Options{}, e, nil)
		if err := s.SetPosition(gametest.NewMNK(5, 5, 5)); err != nil {
			t.Fatal(err)
		}
		r := more(t, s, Limits{Playouts: 9, Seed: seed, Root: h})
		s.Choice(r)
		n, mass, sum, most := 0.0, 0.0, 0.0, uint32(0)
		for _, c := range r.Children {
			if c.Visits > 0 {
				n, most = n+float64(c.Visits), max(most, c.Visits)
				mass, sum = mass+float64(c.Prior), sum+float64(c.Prior)*float64(c.Q)
			}
		}
		if n == 0 || most > 2 {
			t.Fatalf("%v visits, %d at most", n, most)
		}
		mixed := (float64(r.NetValue) + n*sum/mass) / (1 + n)
		if got := h.seen.mixed(s.tree.nodes[0].value); got < mixed-1e-5 || got > mixed+1e-5 {
			t.Errorf("seed %d: a move without visits is worth %v, by definition %v", seed, got, mixed)
		}
		if h.seen.most != most {
			t.Errorf("seed %d: the most visits are %d, counted %d", seed, most, h.seen.most)
		}
		for i := range h.field {
			c := &h.field[i]
			child := r.child(t, s.root.moves[c.index])
			q := mixed
			if child.Visits > 0 {
				q = float64(child.Q)
			}
			if want := h.scores[c.index] + g.sigma(q, most); c.score < want-1e-3 || c.score > want+1e-3 {
				t.Errorf("seed %d: move %d has the score %v, by definition %v", seed, child.Move, c.score, want)
			}
		}
	}
}

// A playout that looks beyond a proven draw counts as one of the other move only if
// that is thought to be better than a draw; else its visit is the draw's.
func TestBeyondADraw(t *testing.T) {
	for _, c := range []struct {
		q    float32
		held bool
	}{{-0.5, true}, {0, true}, {0.25, false}, {1, false}} {
		s := New(Options{}, nn.NewUniform(1), nil)
		s.tree.reset()
		s.tree.expand(0, []game.Move{4, 7}, []float32{0.5, 0.5}, 0)
		drawn, open := s.tree.addKid(0, 0), s.tree.addKid(0, c.q)
		s.tree.nodes[drawn].makeProven(Draw, 1)
		s.tree.nodes[open].visits = 1
		s.explore = exploration{init: 1, base: 1}
		var p playout
		// Of a root without visits the scores are the moves' means.
		got := s.lookBeyond(&p, step{node: 0, edge: 0}, 0, 0, false)
		if want := (step{node: 0, edge: 1, held: c.held}); got != want || p.drawn != 0 {
			t.Errorf("a move worth %v beside a draw: %+v, drawn %d, want %+v", c.q, got, p.drawn, want)
		}
	}
}

// A proof becomes as short as a child's new proof makes it: a win as its shortest, a
// loss, all of whose moves are known, as its longest. Nothing else changes it.
func TestProofsGetShorter(t *testing.T) {
	type proof struct {
		proof Proof
		plies int
	}
	for _, c := range []struct {
		name  string
		was   proof
		moves int
		kids  []proof // the first has just been proven
		want  int
	}{
		{"a win by a shorter loss", proof{Win, 9}, 3, []proof{{Loss, 4}, {Loss, 8}}, 5},
		{"a win by a longer loss", proof{Win, 5}, 3, []proof{{Loss, 8}, {Loss, 4}}, 5},
		{"a win by the same", proof{Win, 5}, 3, []proof{{Loss, 4}}, 5},
		{"a win by a child's win", proof{Win, 9}, 1, []proof{{Win, 3}}, 9},
		{"a win by a child's draw", proof{Win, 9}, 2, []proof{{Draw, 3}, {Win, 1}}, 9},
		{"a loss to shorter wins", proof{Loss, 10}, 2, []proof{{Win, 5}, {Win, 7}}, 8},
		{"a loss to a longer win", proof{Loss, 8}, 2, []proof{{Win, 9}, {Win, 7}}, 8},
		{"a loss of which a move is not known", proof{Loss, 10}, 3, []proof{{Win, 5}, {Win, 7}}, 10},
		{"a draw", proof{Draw, 10}, 2, []proof{{Win, 3}, {Draw, 7}}, 10},
	} {
		var tr tree
		tr.bound = 1 << 20
		tr.reset()
		tr.expand(0, make([]game.Move, c.moves), make([]float32, c.moves), 0)
		for _, k := range c.kids {
			tr.nodes[tr.addKid(0, 0)].makeProven(k.proof, k.plies)
		}
		nd := &tr.nodes[0]
		nd.setProof(c.was.proof, c.was.plies)
		shorter := tr.shorten(nd, tr.childOf(nd, 0))
		if nd.plies() != c.want || nd.proof() != c.was.proof || shorter != (c.want < c.was.plies) {
			t.Errorf("%s: %v in %d, shorter %t, want %d plies", c.name, nd.proof(), nd.plies(), shorter, c.want)
		}
	}
}

// A position that was searched as a child and is proven to be won through its own
// moves is won by a move that wins, before anything is searched anew.
func TestAdvanceIntoAProvenWin(t *testing.T) {
	pos := gametest.NewMNK(4, 3, 3)
	pos.Play(5) // wins, and every reply loses
	_, r := search(t, pos, Options{}, nn.NewUniform(1), Limits{Playouts: 100_000})
	if r.Proven != Loss {
		t.Fatalf("%v, want a loss", r.Proven)
	}
	corners := 0
	for _, c := range r.Children {
		s, _ := search(t, pos, Options{}, nn.NewUniform(1), Limits{Playouts: 100_000})
		child := s.tree.childBy(&s.tree.nodes[0], c.Move)
		if child == nil || child.n == 0 || c.Plies < 4 {
			t.Fatalf("%+v: want a child that is won through its children", c)
		}
		if err := s.Advance(c.Move); err != nil {
			t.Fatal(err)
		}
		var next Result
		if s.Result(&next); next.Proven != Win || next.ProofPlies != c.Plies-1 {
			t.Errorf("after %d: %v in %d, want a win in %d", c.Move, next.Proven, next.ProofPlies, c.Plies-1)
		}
		at := pos.Clone()
		at.Play(c.Move)
		at.Play(next.Move)
		if gametest.Minimax(at) != -1 {
			t.Errorf("after %d: %d does not win", c.Move, next.Move)
		}
		if len(next.PV) == 0 || next.PV[0] != next.Move {
			t.Errorf("after %d: line %v of %d", c.Move, next.PV, next.Move)
		}
		line, _ := s.Line(next.Move, nil, nil)
		for i, m := range line {
			if !at.Legal(m) && i > 0 {
				t.Errorf("after %d: line %v has a move that is not legal", c.Move, line)
				break
			}
			if i > 0 {
				at.Play(m)
			}
		}
		if next.Move == game.Move(0) {
			corners++
		}
	}
	if corners == len(r.Children) {
		t.Error("the corner wins everywhere: nothing was tested")
	}
}
