package mcts

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
	"pgregory.net/rapid"
)

// exactly compares a proof with brute force. The value must be right; a win's
// or loss's distance is that of the proof found, and so at least the true one.
func exactly(tb rapid.TB, pos game.Position, proof game.Result, plies int) {
	tb.Helper()
	value, want := gametest.MinimaxPlies(pos)
	if proof == game.Unproven || int(proof.Value()) != value {
		tb.Fatalf("%v\nproven %v in %d plies, the value is %d in %d", pos, proof, plies, value, want)
	}
	if value != 0 && (plies < want || (plies-want)%2 != 0) || value == 0 && plies > want {
		tb.Fatalf("%v\nproven %v in %d plies, shortest %d", pos, proof, plies, want)
	}
}

// replay plays the principal variation of a proven root to the end of the
// game, which must be the proven one after the proven number of plies.
func replay(tb rapid.TB, pos game.Position, r *Result) {
	tb.Helper()
	if len(r.PV) != r.ProofPlies || r.PV[0] != r.Move {
		tb.Fatalf("variation %v, move %d, proven in %d plies", r.PV, r.Move, r.ProofPlies)
	}
	pos, side := pos.Clone(), pos.ToMove()
	for _, m := range r.PV {
		if !pos.Legal(m) {
			tb.Fatalf("illegal move %d in %v", m, r.PV)
		}
		pos.Play(m)
	}
	if o := pos.Outcome(); o == game.Undecided || float32(o.Value(side)) != r.Proven.Value() {
		tb.Fatalf("variation %v ends in %v, proven %v", r.PV, o, r.Proven)
	}
}

func TestSolvesToyGames(t *testing.T) {
	tests := []struct {
		m, n, k int
		want    game.Result
		plies   int
	}{
		{1, 1, 1, game.Won, 1}, {
			1, 1, 2, game.Drawn, 1,
		}, {2, 1, 2, game.Drawn, 2}, {2, 2, 2, game.Won, 3}, {3, 3, 3, game.Drawn, 9},
		{4, 3, 3, game.Won, 7}, {3, 4, 3, game.Won, 7}, {4, 4, 3, game.Won, 5},
	}
	for _, tt := range tests {
		if tt.m*tt.n <= 12 {
			value, plies := gametest.MinimaxPlies(gametest.NewMNK(tt.m, tt.n, tt.k))
			if float32(value) != tt.want.Value() || plies != tt.plies {
				t.Fatalf("%d,%d,%d: brute force has %d in %d plies", tt.m, tt.n, tt.k, value, plies)
			}
		}
		for _, k := range []int{1, 16} {
			for name, e := range map[string]nn.Evaluator{"uniform": nn.NewUniform(16),
				"sharp": &testEvaluator{eval: mocked(7, true), capacity: 16}} {
				t.Run(fmt.Sprintf("%d,%d,%d/%d/%s", tt.m, tt.n, tt.k, k, name), func(t *testing.T) {
					pos := gametest.NewMNK(tt.m, tt.n, tt.k)
					s, r := search(t, pos, Options{InFlight: k}, e, Limits{Playouts: 200_000})
					if r.Proven != tt.want || r.Value != tt.want.Value() || r.RootQ != tt.want.Value() {
						t.Fatalf("proven %v, value %v, mean %v after %d playouts; want %v", r.Proven, r.Value, r.RootQ, r.Playouts,
							tt.want)
					}
					if r.ProofPlies < tt.plies || (r.ProofPlies-tt.plies)%2 != 0 {
						t.Errorf("proven in %d plies, brute force takes %d", r.ProofPlies, tt.plies)
					}
					replay(t, pos, r)
					if !s.Done() || r.Playouts >= 200_000 {
						t.Error("the proof did not end the search")
					}
				})
			}
		}
	}
}

// shallow proves what brute force finds at leaves within a number of plies: wins, or
// with all losses and draws too.
type shallow struct {
	NoSolver
	plies int
	all   bool
}

func (s shallow) Leaf(_ context.Context, pos game.Position) Solution {
	return shortProof(pos, s.plies, s.all)
}

// Refute implements [Solver]: what is lost or drawn as a leaf is known of its moves too.
func (s shallow) Refute(_ context.Context, pos game.Position, moves []game.Move, after []Solution) {
	for i, m := range moves {
		pos.Play(m)
		if s.all {
			after[i] = shortProof(pos, pos.MaxMoves(), true)
		}
		pos.Undo()
	}
}

// shortProof finds a win within so many plies by brute force, with all any result.
func shortProof(pos game.Position, most int, all bool) Solution {
	value, plies := gametest.MinimaxPlies(pos)
	if plies > most || value != 1 && !all {
		return Solution{}
	}
	if value != 1 {
		return Solution{Proof: [...]game.Result{game.Lost, game.Drawn}[value+1], Move: game.NoMove, Plies: plies}
	}
	for _, m := range pos.Moves(nil) {
		pos.Play(m)
		v, n := gametest.MinimaxPlies(pos)
		pos.Undo()
		if v == -1 && n == plies-1 {
			return Solution{Proof: game.Won, Move: m, Plies: plies}
		}
	}
	return Solution{}
}

// TestNothingIsProvenWrongly compares every proof in random trees with brute
// force.
func TestNothingIsProvenWrongly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pos := genPosition(t)
		playOn(t, pos, 10)
		var solver Solver
		if rapid.Bool().Draw(t, "solver") && pos.MaxMoves()-pos.Ply() <= 7 {
			solver = shallow{plies: rapid.IntRange(1, 5).Draw(t, "solver plies"), all: rapid.Bool().Draw(t, "all")}
		}
		o := genOptions(t)
		e := &testEvaluator{eval: mocked(rapid.Uint64().Draw(t, "seed"), true), capacity: 5}
		s := New(o, e, solver)
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		l := Limits{Playouts: genPlayouts(t, 400), Noise: rapid.Bool().Draw(t, "noise")}
		r := more(t, s, l)
		c := checker{TB: t, s: s, pos: pos.Clone(), used: map[uint32]bool{}}
		seen := 0
		c.each = func(pos game.Position, nd *node) {
			if nd.proof() != game.Unproven && seen < 20 {
				seen++
				exactly(t, pos, nd.proof(), nd.plies())
			}
		}
		c.node(0)
		if r.Proven != game.Unproven && solver == nil {
			replay(t, pos, r)
		}
		for _, child := range r.Children {
			if child.Proven != game.Unproven {
				after := pos.Clone()
				after.Play(child.Move)
				exactly(t, after, child.Proven.Flip(), child.Plies-1)
			}
		}
	})
}

// lister lists some legal moves: all but those that lose sooner than another one, or, as a
// list that is not complete, those that a hash chooses.
type lister struct {
	NoSolver
	seed     uint64
	complete bool
}

func (l lister) Edges(pos game.Position, buf []game.Move) (moves []game.Move, complete bool) {
	legal := pos.Moves(nil)
	late := make([]int, len(legal)) // of the losing ones
	for i, m := range legal {
		pos.Play(m)
		if value, plies := gametest.MinimaxPlies(pos); value == 1 {
			late[i] = plies
		}
		pos.Undo()
	}
	for i, m := range legal {
		keep := (pos.Hash()^l.seed^uint64(m)*0x9e3779b97f4a7c15)>>7%3 == 0
		if keep || l.complete && (late[i] == 0 || late[i] == slices.Max(late)) {
			buf = append(buf, m)
		}
	}
	return buf, l.complete
}

// TestListsLoseNoProof searches with nodes that follow listed moves only: every proof there
// is right, after moves with a kept tree too, and every root has all its moves.
func TestListsLoseNoProof(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pos := genPosition(t)
		playOn(t, pos, 8)
		mock := nn.NewMock(rapid.Uint64().Draw(t, "seed"))
		mock.Immediate, mock.Sharp = true, true
		l := lister{seed: rapid.Uint64().Draw(t, "lists"), complete: rapid.Bool().Draw(t, "complete")}
		s := New(genOptions(t), &apart{Evaluator: mock}, l)
		if err := s.SetPosition(pos); err != nil {
			t.Fatal(err)
		}
		for pos.Outcome() == game.Undecided {
			if err := s.Search(t.Context(), Limits{Playouts: rapid.IntRange(1, 400).Draw(t, "playouts")}); err != nil {
				t.Fatal(err)
			}
			var r Result
			s.Result(&r)
			c := checker{TB: t, s: s, pos: pos.Clone(), used: map[uint32]bool{}, listed: true}
			c.each = func(pos game.Position, nd *node) {
				if nd.proof() != game.Unproven {
					exactly(t, pos, nd.proof(), nd.plies())
				}
			}
			c.node(0)
			moves := pos.Moves(nil)
			if len(r.Children) != len(moves) {
				t.Fatalf("%d children of %d moves", len(r.Children), len(moves))
			}
			m := moves[rapid.IntRange(0, len(moves)-1).Draw(t, "move")]
			pos.Play(m)
			if err := s.Advance(m); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// wonFor proves that the side to move wins in three plies by a given move, if
// it is the one to move and no stone is there.
type wonFor struct {
	NoSolver
	side  game.Side
	move  game.Move
	calls int
}

func (s *wonFor) Leaf(_ context.Context, pos game.Position) Solution {
	s.calls++
	if pos.ToMove() != s.side || !pos.Legal(s.move) {
		return Solution{}
	}
	return Solution{Proof: game.Won, Move: s.move, Plies: 3}
}

// TestProvenLeafBecomesRoot reuses a node that a solver has won before it was
// expanded.
func TestProvenLeafBecomesRoot(t *testing.T) {
	solver, now := &wonFor{side: game.Second, move: 9}, int64(0)
	s := New(Options{Clock: func() int64 { now += 5; return now }}, nn.NewUniform(1), solver)
	if err := s.SetPosition(gametest.NewMNK(6, 6, 6)); err != nil {
		t.Fatal(err)
	}
	r := more(t, s, Limits{Playouts: 50})
	if r.Move != 9 || r.Proven != game.Unproven {
		t.Fatalf("move %d, %v: every other move is lost", r.Move, r.Proven)
	}
	if r.SolverCalls < solver.calls || r.SolverNanos != int64(5*r.SolverCalls) {
		t.Errorf("%d calls took %d ns, the solver had %d", r.SolverCalls, r.SolverNanos, solver.calls)
	}
	last := r.Children[len(r.Children)-1]
	if last.Proven != game.Lost || last.Plies != 4 || last.Visits != 1 || last.Q != -1 {
		t.Errorf("a lost child was followed again: %+v", last)
	}
	if err := s.Advance(last.Move); err != nil {
		t.Fatal(err)
	}
	if s.Result(r); r.Move != 9 || r.Proven != game.Won || r.ProofPlies != 3 || r.Visits != 1 || len(r.PV) != 1 {
		t.Errorf("before searching: %+v", r)
	}
	r = more(t, s, Limits{Playouts: 50})
	if r.Move != 9 || r.Proven != game.Won || r.Playouts != 1 || r.Visits != 2 || len(r.Children) != 35 {
		t.Errorf("after searching: %+v", r)
	}
	if r = more(t, s, Limits{Playouts: 50}); r.Playouts != 0 || r.Move != 9 || r.Children[0].Proven != game.Won {
		t.Errorf("searched again: %+v", r)
	}
}
