package mcts

import (
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
)

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
		r := more(t, s, Limits{Playouts: 4 + rng.IntN(57), Seed: rng.Uint64(), Gumbel: Gumbel{Considered: 4}})
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
		g := Gumbel{Considered: 8}.WithDefaults()
		s := New(Options{}, e, nil)
		if err := s.SetPosition(gametest.NewMNK(5, 5, 5)); err != nil {
			t.Fatal(err)
		}
		r := more(t, s, Limits{Playouts: 9, Seed: seed, Gumbel: Gumbel{Considered: 8}})
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
		if got := s.halving.seen.mixed(s.tree.nodes[0].value); got < mixed-1e-5 || got > mixed+1e-5 {
			t.Errorf("seed %d: a move without visits is worth %v, by definition %v", seed, got, mixed)
		}
		if s.halving.seen.most != most {
			t.Errorf("seed %d: the most visits are %d, counted %d", seed, most, s.halving.seen.most)
		}
		for i := range s.halving.field {
			c := &s.halving.field[i]
			child := r.child(t, s.root.moves[c.index])
			q := mixed
			if child.Visits > 0 {
				q = float64(child.Q)
			}
			if want := s.halving.scores[c.index] + g.sigma(q, most); c.score < want-1e-3 || c.score > want+1e-3 {
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
