package mcts

import (
	"context"
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
		if h.left == 0 || t.nodes[t.kidOf(h.step).node].proof() != game.Unproven {
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
		if t.nodes[k.node].proof() == game.Drawn {
			return path, false
		}
		c := t.choose(nd, visits, q, reduction, &s.explore, true)
		left := s.times(nd, st, &c) - 1
		if n := len(path); n > 0 {
			left = min(left, path[n-1].left)
		}
		path = append(path, heldStep{st, left})
		if t.nodes[k.node].proof() != game.Unproven {
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
