package mcts

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
)

// A search that pauses grows the tree of one that does not, and what it shows at a pause
// depends neither on what the evaluator answers at once nor on how often it is waited for.
func TestPausesChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, pos, seed := genOptions(t), genPosition(t), rapid.Uint64().Draw(t, "seed")
		l := Limits{Playouts: genPlayouts(t, 300)}
		holds := rapid.SliceOfN(rapid.IntRange(1, 300), 1, 6).Draw(t, "pauses")
		slices.Sort(holds)
		whole, _ := search(t, pos, o, &testEvaluator{eval: mocked(seed, true), capacity: 9}, l)
		var shown [2][]Result
		for i, every := range []int{1, 3} {
			s := New(o, &testEvaluator{eval: mocked(seed, true), capacity: 9, now: func(i int) bool { return i%every == 0 }}, nil)
			if err := s.SetPosition(pos); err != nil {
				t.Fatal(err)
			}
			s.Begin(t.Context(), l)
			for _, hold := range append(holds, 0) {
				if err := s.Continue(t.Context(), hold); err != nil {
					t.Fatal(err)
				}
				var r Result
				s.Result(&r)
				if hold > 0 && s.run.launched > hold {
					t.Fatalf("%d playouts were started, %d were allowed", s.run.launched, hold)
				}
				shown[i] = append(shown[i], r)
			}
			s.Audit(t.Context())
			check(t, s)
			if s.tree.digest(0) != whole.tree.digest(0) {
				t.Fatal("the pauses changed the tree")
			}
		}
		if !reflect.DeepEqual(shown[0], shown[1]) {
			t.Fatalf("at the pauses %+v, and with another evaluator %+v", shown[0], shown[1])
		}
	})
}

// Advice opens a move that would not have been visited, is not shown as the evaluator's
// prior, and is gone in the next search.
func TestAdvice(t *testing.T) {
	for name, instant := range map[string]bool{"asked for all": false, "asked again": true} {
		pos := gametest.NewMNK(7, 7, 5)
		var e nn.Evaluator = nn.NewUniform(1)
		if instant {
			e = &apart{Evaluator: e}
		}
		s := New(Options{}, e, nil)
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		s.Begin(t.Context(), Limits{Playouts: 60})
		s.Advise(pos.Moves(nil)[48], 0.5) // before the root is expanded: ignored
		if err := s.Continue(t.Context(), 8); err != nil {
			t.Fatal(err)
		}
		last := pos.Moves(nil)[48]
		var before, after Result
		s.Result(&before)
		s.Advise(pos.Moves(nil)[47], 0.9)
		s.Advise(last, 0.5)
		if err := s.Continue(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		check(t, s)
		s.Result(&after)
		if n := before.child(t, last).Visits; n != 0 {
			t.Fatalf("%s: %d visits before", name, n)
		}
		if c := after.child(t, last); c.Visits < 15 || after.child(t, pos.Moves(nil)[47]).Visits > 5 || c.Prior != before.child(t, last).Prior {
			t.Errorf("%s: %+v of %d playouts after", name, c, after.Visits)
		}
		s.Begin(t.Context(), Limits{Playouts: 1})
		nd := &s.tree.nodes[0]
		for i, m := range s.tree.moves[nd.edges:][:nd.n] {
			if p := s.tree.priors[nd.edges:][i]; p != s.root.prior(m) {
				t.Fatalf("%s: move %d has the prior %v in the next search", name, m, p)
			}
		}
	}
}

// Advice between any two playouts keeps the tree sound.
func TestAdviceAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, pos, seed := genOptions(t), genPosition(t), rapid.Uint64().Draw(t, "seed")
		s := New(o, &testEvaluator{eval: mocked(seed, true), capacity: 9}, nil)
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		moves := pos.Moves(nil)
		s.Begin(t.Context(), Limits{Playouts: 200})
		for hold := 0; !s.Done(); {
			hold += rapid.IntRange(1, 60).Draw(t, "playouts")
			if err := s.Continue(t.Context(), hold); err != nil {
				t.Fatal(err)
			}
			s.Advise(rapid.SampledFrom(moves).Draw(t, "move"), rapid.Float32Range(0, 1).Draw(t, "part"))
			total := float32(0)
			nd := &s.tree.nodes[0]
			for _, p := range s.tree.priors[nd.edges:][:nd.n] {
				total += p
			}
			if nd.n > 0 && (total < 0.98 || total > 1.02) {
				t.Fatalf("the priors sum to %v", total)
			}
		}
		check(t, s)
		next := rapid.SampledFrom(moves).Draw(t, "played")
		if err := s.Advance(next); err != nil {
			t.Fatal(err)
		}
		if s.pos.Outcome() == game.Undecided {
			more(t, s, Limits{Playouts: 50})
		}
	})
}
