package mcts

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
	"pgregory.net/rapid"
)

// instantMock returns a mock that answers at once, value and priors apart.
func instantMock(seed uint64, sharp bool) *apart {
	m := nn.NewMock(seed)
	m.Immediate, m.Sharp = true, sharp
	return &apart{Evaluator: m}
}

// heldStep is a choice and for how many more playouts it holds.
type heldStep struct {
	step
	left int
}

// follow is the twin of the search's bookkeeping. It returns what must be the beginning
// of the next playout's path: of the last one's choices those that hold, with nothing
// proven on the way, then at every node the best edge by the definition. The path is
// whole unless it comes to a drawn child.
func follow(s *Searcher, last []heldStep) (path []heldStep, whole bool) {
	t := &s.tree
	nd, q, reduction, visits := &t.nodes[0], t.nodes[0].mean(), s.explore.fpuTop, t.nodes[0].visits
	enter := func(st step) {
		k := t.kidOf(st)
		nd, q, reduction, visits = &t.nodes[k.node], -k.q, s.explore.fpu, k.visits
	}
	for _, h := range last {
		if h.left == 0 || t.nodes[t.kidOf(h.step).node].proof() != Unknown {
			break
		}
		path = append(path, heldStep{h.step, h.left - 1})
		enter(h.step)
	}
	id := uint32(0)
	if n := len(path); n > 0 {
		id = t.kidOf(path[n-1].step).node
	}
	for {
		if nd.lazy() {
			return append(path, heldStep{step{node: id}, 0}), true
		}
		edge := chooseBrute(t, nd, visits, q, reduction, &s.explore)
		st := step{node: id, edge: uint16(edge)}
		if edge == int(nd.nKids) {
			return append(path, heldStep{st, 0}), true
		}
		k := t.kidOf(st)
		if t.nodes[k.node].proof() == Draw {
			return path, false
		}
		c := t.choose(nd, visits, q, reduction, &s.explore, true)
		left := s.times(nd, st, &c) - 1
		if n := len(path); n > 0 {
			left = min(left, path[n-1].left)
		}
		path = append(path, heldStep{st, left})
		if t.nodes[k.node].proof() != Unknown {
			return path, true
		}
		id = k.node
		enter(st)
	}
}

// TestPathsKeepToChoices compares the path of every playout of a search with follow.
func TestPathsKeepToChoices(t *testing.T) {
	longest := 0
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SampledFrom([][3]int{{4, 4, 3}, {5, 5, 4}, {7, 7, 5}}).Draw(t, "shape")
		stride := rapid.SampledFrom([]float32{-1, 0.1, 0.35, 1}).Draw(t, "stride")
		seed := rapid.Uint64().Draw(t, "seed")
		var solver Solver
		if rapid.Bool().Draw(t, "solver") {
			solver = liar{seed: seed}
		}
		s := New(Options{InFlight: 1, Stride: stride}, instantMock(seed, rapid.Bool().Draw(t, "sharp")), solver)
		if err := s.SetPosition(gametest.NewMNK(shape[0], shape[1], shape[2])); err != nil {
			t.Fatal(err)
		}
		s.Begin(context.Background(), Limits{Playouts: 500})
		var last []heldStep
		for !s.Done() {
			want, whole := []heldStep(nil), true
			if s.tree.nodes[0].n > 0 {
				want, whole = follow(s, last)
			}
			if !s.launch() {
				t.Fatal("a playout waits for none")
			}
			path := s.queue.oldest().path
			if len(path) < len(want) || whole && len(path) > len(want) {
				t.Fatalf("path %v, want %v", path, want)
			}
			last = last[:0]
			for i, st := range path {
				if i < len(want) && st != want[i].step {
					t.Fatalf("path %v, want %v", path, want)
				}
				left := 0
				if i < len(want) {
					left = want[i].left
				} else if stride > 0 { // below a drawn child
					left = s.sticky.until[i] - s.run.launched
				}
				last = append(last, heldStep{st, left})
				longest = max(longest, left)
			}
			s.backupOldest()
		}
		s.toRoot()
		if solver == nil {
			check(t, s)
		}
	})
	if longest < 20 {
		t.Errorf("the longest choice held for %d more playouts", longest)
	}
}

// TestTimesByDefinition compares how long a choice holds with the scores of the playouts
// in a row, one after the other.
func TestTimesByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Searcher
		s.stride = rapid.Float32Range(0.01, 1).Draw(t, "stride")
		s.tree.reset()
		s.tree.bound = 1 << 30
		prior := rapid.Float32Range(0.001, 1).Draw(t, "prior")
		s.tree.expand(0, ascending(2), []float32{prior, 0}, 0)
		s.tree.addKid(0, 0)
		nd := &s.tree.nodes[0]
		k := &s.tree.kids[nd.kids]
		k.visits, k.q = rapid.Uint32Range(1, 3000).Draw(t, "visits"), rapid.Float32Range(-1, 1).Draw(t, "q")
		c := choice{edge: 0, scale: rapid.Float32Range(0.1, 200).Draw(t, "scale"), second: forbidden}
		score := func(more int) float64 {
			return float64(k.q) + float64(c.scale)*float64(prior)/float64(1+int(k.visits)+more)
		}
		if rapid.Bool().Draw(t, "rivals") {
			c.second = float32(score(0) - rapid.Float64Range(0, 0.2).Draw(t, "lead"))
		}
		got := s.times(nd, step{}, &c)
		if got < 1 {
			t.Fatalf("%d playouts", got)
		}
		const eps = 1e-3 // of a playout, and of rounding
		if most := float64(s.stride) * float64(k.visits); got > 1 && float64(got) > most*(1+eps) {
			t.Fatalf("%d playouts, want at most %v", got, most)
		} else if last := score(got - 1); got > 1 && last < float64(c.second)-eps {
			t.Fatalf("the score of playout %d is %v, the second one %v", got, last, c.second)
		} else if float64(got+1) < most*(1-eps) && score(got) > float64(c.second)+eps {
			t.Fatalf("%d playouts, though the next one's score is %v, the second one %v", got, score(got), c.second)
		}
	})
}

// TestOthersChooseEveryTime names what a playout never keeps to: an unvisited edge, one
// that something other than the scores has chosen, and those of evaluators that do not
// answer at once.
func TestOthersChooseEveryTime(t *testing.T) {
	s, _ := search(t, gametest.NewMNK(7, 7, 5), Options{}, instantMock(1, false), Limits{Playouts: 2000})
	root := &s.tree.nodes[0]
	c := choice{edge: 0, second: forbidden, scale: 1}
	if n := s.times(root, step{}, &c); n < 10 {
		t.Fatalf("the only move is kept to for %d playouts", n)
	}
	other := choice{edge: 1, second: forbidden, scale: 1}
	unvisited := choice{edge: int(root.nKids), second: forbidden, scale: 1}
	if n := s.times(root, step{}, &other); n != 1 {
		t.Errorf("in place of the best edge: %d playouts", n)
	}
	if n := s.times(root, step{edge: root.nKids}, &unvisited); n != 1 {
		t.Errorf("an unvisited edge: %d playouts", n)
	}
	s.run.limits.Root = Forced(2)
	if n := s.times(root, step{}, &c); n != 1 {
		t.Errorf("a steered root: %d playouts", n)
	}
	if s := New(Options{}, nn.NewMock(1), nil); s.stride != 0 {
		t.Errorf("a stride of %v where results have to be waited for", s.stride)
	}
}

// TestKeptChoicesGoOnAcrossCalls checks that the tree does not depend on how often the
// caller of Select looks at it in between.
func TestKeptChoicesGoOnAcrossCalls(t *testing.T) {
	for _, inFlight := range []int{1, 2, 7} {
		o, pos := Options{InFlight: inFlight}, gametest.NewMNK(7, 7, 5)
		one, _ := search(t, pos, o, instantMock(5, true), Limits{Playouts: 3000})
		two := New(o, instantMock(5, true), nil)
		if err := two.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		two.Begin(context.Background(), Limits{Playouts: 3000})
		for !two.Done() {
			for two.mustBackup() && two.queue.pending > 0 {
				two.backupOldest()
			}
			if two.Done() {
				break
			}
			two.queue.stalled = !two.launch()
			two.toRoot()
		}
		expandAll(t, one)
		expandAll(t, two)
		if one.tree.digest(0) != two.tree.digest(0) {
			t.Errorf("%d in flight: the trees differ", inFlight)
		}
	}
}

// A child that was looked at while its parent held a proven draw may be proven
// later. What its proof changes about those visits, which count as draws for the
// parent, must not drive the parent's mean out of range.
func TestProofsOfHeldChildrenKeepMeansInRange(t *testing.T) {
	for play := range uint64(6) {
		for seed := range uint64(60) {
			var pos game.Position = gametest.NewMNK(3, 3, 3)
			rng := rand.New(rand.NewPCG(play, 0))
			for range rng.IntN(7) {
				moves := pos.Moves(nil)
				pos.Play(moves[rng.IntN(len(moves))])
				if pos.Outcome() != game.Undecided {
					pos.Undo()
					break
				}
			}
			e := testEvaluator{eval: mocked(seed, true), capacity: 25}
			o := Options{InFlight: 1 + int(seed%8), CInit: 0.625, FPUReduction: 0.002}
			s, r := search(t, pos, o, &e, Limits{Playouts: 900})
			check(t, s)
			if err := s.Advance(r.Move); err != nil {
				t.Fatal(err)
			}
			if err := s.Search(t.Context(), Limits{Playouts: 200}); err == nil {
				check(t, s)
			}
		}
	}
}

// drawsFirst proves the first move of a root drawn.
type drawsFirst struct{ NoSolver }

func (drawsFirst) Refute(_ context.Context, _ game.Position, _ []game.Move, after []Solution) {
	after[0] = Solution{Proof: Draw, Plies: Endless}
}

// Playouts that look beyond a proven draw count as the draw, however many are in flight and
// also where they turn to another move since the first one is being evaluated: the worse
// moves have no visits but for what waits, and do not pull the mean down.
func TestDrawsAreHeldInFlight(t *testing.T) {
	for _, inFlight := range []int{1, 4, 8, 16, 32, 64} {
		pos := gametest.NewMNK(7, 7, 7)
		e := &testEvaluator{capacity: 64, eval: func(pos game.Position, _ []game.Move, out *nn.Result) {
			equal(out, []float32{-0.5, 0.5}[pos.ToMove()])
		}}
		s := New(Options{InFlight: inFlight}, e, drawsFirst{})
		s.SetPosition(pos)
		if err := s.Search(t.Context(), Limits{Playouts: 400}); err != nil {
			t.Fatal(err)
		}
		var r Result
		s.Result(&r)
		drawn := 0
		for _, c := range r.Children {
			if c.Move == 0 {
				drawn = int(c.Visits)
			}
		}
		if drawn < 390 || r.RootQ < -0.012 || r.Move != 0 {
			t.Errorf("%d in flight: %d of %d visits of the drawn move, mean %v", inFlight, drawn, r.Visits, r.RootQ)
		}
	}
}
