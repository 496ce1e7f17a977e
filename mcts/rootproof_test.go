package mcts

import (
	"context"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"pgregory.net/rapid"
)

// oracle knows a root by brute force: its win if it is at most wins plies away,
// the moves that lose within losses plies, and whether a given move loses
// within audits plies. With all it knows of moves that win and draw as well.
type oracle struct {
	NoSolver
	wins, losses, audits int
	all                  bool
}

func (o oracle) Audit(_ context.Context, pos game.Position, m game.Move) Solution {
	pos.Play(m)
	defer pos.Undo()
	if pos.Outcome() != game.Undecided {
		return Solution{}
	}
	return shortProof(pos, o.audits, o.all)
}

func (o oracle) Root(_ context.Context, pos game.Position) Solution {
	return shortProof(pos, o.wins, false)
}

func (o oracle) Refute(_ context.Context, pos game.Position, moves []game.Move, wins []Solution) {
	for i, m := range moves {
		pos.Play(m)
		if pos.Outcome() == game.Undecided {
			wins[i] = shortProof(pos, o.losses, o.all)
		}
		pos.Undo()
	}
}

// What is asked about any move of the root is what brute force says, and the tree that a
// move was proven in is as right about the others and the root as before.
func TestAuditMove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pos := genPosition(t)
		playOn(t, pos, 6)
		o := oracle{audits: rapid.IntRange(0, 5).Draw(t, "audits"), all: rapid.Bool().Draw(t, "all")}
		e := &testEvaluator{eval: mocked(rapid.Uint64().Draw(t, "seed"), true), capacity: 5}
		s := New(genOptions(t), e, o)
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		if err := s.Search(t.Context(), Limits{Playouts: genPlayouts(t, 60)}); err != nil {
			t.Fatal(err)
		}
		var r Result
		s.Result(&r)
		for _, c := range r.Children {
			var now Result
			s.Result(&now)
			known := now.Proven == game.Won || now.Proven == game.Lost ||
				now.Children[indexOf(now.Children, c.Move)].Proven != game.Unproven
			after := pos.Clone()
			if after.Play(c.Move); after.Outcome() != game.Undecided {
				continue
			}
			got, want := s.AuditMove(t.Context(), c.Move), o.Audit(t.Context(), pos, c.Move)
			if known {
				want = Solution{}
			}
			if got.Proof != want.Proof || got.Plies != want.Plies {
				t.Fatalf("move %d: %+v, want %+v", c.Move, got, want)
			}
		}
		s.Result(&r)
		if v, n := gametest.MinimaxPlies(pos); r.Proven != game.Unproven &&
			(float32(v) != r.Proven.Value() || v != 0 && r.ProofPlies < n) {
			t.Fatalf("%v in %d, want %d in %d", r.Proven, r.ProofPlies, v, n)
		}
		for _, c := range r.Children {
			after := pos.Clone()
			after.Play(c.Move)
			if v, _ := gametest.MinimaxPlies(after); c.Proven != game.Unproven && float32(-v) != c.Proven.Value() {
				t.Fatalf("move %d: %v, want the value %d", c.Move, c.Proven, -v)
			}
		}
	})
}

// indexOf returns the index of a move.
func indexOf(children []Child, m game.Move) int {
	return slices.IndexFunc(children, func(c Child) bool { return c.Move == m })
}

// TestRootProofs compares searches with solvers at the root with brute force:
// nothing is proven wrongly, no refuted move is visited again, and the proofs
// go with the tree when a move is played.
func TestRootProofs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pos := genPosition(t)
		playOn(t, pos, 6)
		o := oracle{
			wins:   rapid.IntRange(0, 5).Draw(t, "wins"),
			losses: rapid.IntRange(0, 5).Draw(t, "losses"),
			audits: rapid.IntRange(0, 5).Draw(t, "audits"),
			all:    rapid.Bool().Draw(t, "all"),
		}
		e := &testEvaluator{eval: mocked(rapid.Uint64().Draw(t, "seed"), true), capacity: 5}
		s := New(genOptions(t), e, o)
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		l := Limits{Playouts: genPlayouts(t, 60), Noise: rapid.Bool().Draw(t, "noise")}
		var r Result
		for pos.Outcome() == game.Undecided {
			if err := s.Search(t.Context(), l); err != nil {
				t.Fatal(err)
			}
			s.Result(&r)
			checkRoot(t, pos, o, &r)
			m := rapid.SampledFrom(pos.Moves(nil)).Draw(t, "played")
			if rapid.Bool().Draw(t, "best") {
				m = r.Move
			}
			pos.Play(m)
			if err := s.Advance(m); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A solver that knows every position settles the root by one evaluation: its result, its
// distance and a move that comes to them, whether the root is new or was a leaf.
func TestAllMovesKnown(t *testing.T) {
	seen := map[game.Result]int{}
	known := func(t *rapid.T) {
		pos := genPosition(t)
		playOn(t, pos, 6)
		s := New(genOptions(t), &testEvaluator{eval: mocked(rapid.Uint64().Draw(t, "seed"), true), capacity: 5},
			shallow{plies: 99, all: true})
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		var r Result
		for pos.Outcome() == game.Undecided {
			if err := s.Search(t.Context(), Limits{Playouts: genPlayouts(t, 60)}); err != nil {
				t.Fatal(err)
			}
			s.Result(&r)
			value, plies := gametest.MinimaxPlies(pos)
			if int(r.Proven.Value()) != value || r.Proven == game.Unproven || value != 0 && r.ProofPlies != plies ||
				r.Playouts > 1 {
				t.Fatalf("%v\n%v in %d after %d playouts; want %d in %d", pos, r.Proven, r.ProofPlies, r.Playouts, value, plies)
			}
			seen[r.Proven]++
			pos.Play(r.Move)
			if v, n := gametest.MinimaxPlies(pos); v != -value || v != 0 && n != plies-1 {
				t.Fatalf("%v\nmove %d leads to %d in %d; want %d in %d", pos, r.Move, v, n, -value, plies-1)
			}
			if err := s.Advance(r.Move); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Few draws may meet no loss: a short run draws again.
	for more := 10; more > 0 && len(seen) < 3; more-- {
		rapid.Check(t, known)
	}
	if len(seen) < 3 {
		t.Errorf("only %v were seen", seen)
	}
}

func checkRoot(t *rapid.T, pos game.Position, o oracle, r *Result) {
	value, plies := gametest.MinimaxPlies(pos)
	if r.Proven != game.Unproven {
		exactly(t, pos, r.Proven, r.ProofPlies)
	} else if value == 1 && plies <= o.wins {
		t.Fatalf("%v\na win in %d plies was not asked for", pos, plies)
	}
	if len(r.Children) != len(pos.Moves(nil)) {
		t.Fatalf("%d children of %d moves", len(r.Children), len(pos.Moves(nil)))
	}
	for _, c := range r.Children {
		after := pos.Clone()
		after.Play(c.Move)
		v, n := gametest.MinimaxPlies(after)
		if c.Proven != game.Unproven {
			exactly(t, after, c.Proven.Flip(), c.Plies-1)
			if c.Q != c.Proven.Value() {
				t.Fatalf("%+v", c)
			}
		} else if v == 1 && n <= o.losses && r.Proven != game.Won {
			t.Fatalf("%v\nmove %d loses in %d plies and was not refuted", pos, c.Move, n)
		}
	}
	audits := 0
	for _, c := range r.Children {
		if c.Proven == game.Drawn || c.Proven == game.Lost && c.Plies > o.losses+1 {
			audits++
		}
	}
	after := pos.Clone()
	after.Play(r.Move)
	if v, n := gametest.MinimaxPlies(after); r.Proven != game.Lost && r.Children[0].Proven == game.Unproven && v == 1 &&
		n <= o.audits && audits < mostAudits && r.Children[0].Visits > 0 {
		t.Fatalf("%v\nmove %d loses in %d plies and is the best", pos, r.Move, n)
	}
	for i, c := range r.Children[1:] {
		if c.Proven != game.Lost && r.Children[i].Proven == game.Lost {
			t.Fatalf("a lost move is ranked above %+v", c)
		}
	}
}
