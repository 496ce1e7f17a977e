package search

import (
	"context"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/enginetest"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

// both returns an engine of both searches with the network without knowledge.
func both(t testing.TB, v games.Variant, change func(s *BothSettings)) *Both {
	t.Helper()
	s := DefaultBothSettings()
	s.Share = 0.5
	if change != nil {
		change(&s)
	}
	return NewBoth(tree(t, v, TreeOptions{Solvers: games.DefaultSolvers(), Reuse: true}), classical(t, v), s)
}

// variants are what both halves know.
var variants = []games.VariantOptions{
	{Rule: "caro", Size: 11}, {Rule: "freestyle"}, {Rule: "renju"}, {Rule: "standard", Size: 13}, {Rule: "school42", Size: 13}, {Game: games.Onitama},
}

// start returns a position of a game after some of its first moves.
func start(t testing.TB, v games.Variant) game.Position {
	t.Helper()
	pos, err := v.Start()
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		moves := pos.Moves(nil)
		pos.Play(moves[len(moves)/2])
	}
	return pos
}

// Without exchange and check each half is the search of its budget alone, playout for
// playout and node for node, with one thread and with two.
func TestHalvesAreTheSearches(t *testing.T) {
	for _, o := range variants {
		v := enginetest.Variant(t, o)
		pos := start(t, v)
		for _, threads := range []int{1, 2} {
			b := both(t, v, func(s *BothSettings) { s.Exchange, s.Check, s.Threads = false, false, threads })
			a := enginetest.Answer(t, b, t.Context(), pos, engine.Limits{Nodes: 700})
			one := tree(t, v, TreeOptions{Solvers: games.DefaultSolvers(), Reuse: true})
			other := classical(t, v)
			enginetest.Answer(t, one, t.Context(), pos, engine.Limits{Nodes: 350})
			want, err := other.Search(t.Context(), pos, alphabeta.Limits{Nodes: 1750})
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(b.tree.result, one.result) {
				t.Errorf("%s, %d threads: the tree's half found %+v, the tree alone %+v", v, threads, b.tree.result, one.result)
			}
			got := b.rounds.classical.latest
			for _, r := range []*alphabeta.Result{&got, &want} {
				r.Stats.Elapsed = 0
				for i := range r.Iterations {
					r.Iterations[i].Elapsed = 0
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %d threads: the classical half found %+v, the classical search alone %+v", v, threads, got, want)
			}
			if a.Halves.Playouts != 350 && want.Stats.Nodes == 1750 || a.Halves.Nodes != want.Stats.Nodes {
				t.Errorf("%s: %d playouts and %d nodes", v, a.Halves.Playouts, a.Halves.Nodes)
			}
		}
	}
}

// An engine that is all of one search answers as that does.
func TestWholeShares(t *testing.T) {
	for _, o := range variants {
		v := enginetest.Variant(t, o)
		pos := start(t, v)
		for share, alone := range map[float64]engine.Engine{
			-1: tree(t, v, TreeOptions{Solvers: games.DefaultSolvers(), Reuse: true}), 1: classical(t, v),
		} {
			b := both(t, v, func(s *BothSettings) { s.Share = share })
			for range 2 {
				l := engine.Limits{Nodes: 300}
				got := enginetest.Answer(t, b, t.Context(), pos, l)
				if share == 1 {
					l.Nodes *= defaultRate
				}
				want := enginetest.Answer(t, alone, t.Context(), pos, l)
				if h := got.Halves; h.Reason != engine.Alone || h.Decided == engine.TreeHalf != (share < 0) || h.Playouts+h.Nodes != want.Stats.Nodes {
					t.Errorf("%s: %+v", v, h)
				}
				got.Halves, got.Stats.Nodes, got.Stats.Elapsed, want.Stats.Elapsed = nil, want.Stats.Nodes, 0, 0
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s, share %v: %+v, alone %+v", v, share, got, want)
				}
			}
		}
	}
}

// timeless returns an answer without what time has to do with.
func timeless(a *engine.Answer) engine.Answer {
	b := *a
	b.Stats.Elapsed = 0
	return b
}

// A game is the same with one thread and with two, and in a second engine, for every
// budget, however small.
func TestBothIsRepeatable(t *testing.T) {
	for _, o := range variants {
		v := enginetest.Variant(t, o)
		var games [3][]engine.Answer
		for i, threads := range []int{1, 1, 2} {
			b := both(t, v, func(s *BothSettings) { s.Threads = threads })
			pos := start(t, v)
			for n := 0; n < 8 && pos.Outcome() == game.Undecided; n++ {
				budget := []int64{1, 2, 3, 7, 64, 300}[n%6]
				a := enginetest.Answer(t, b, t.Context(), pos, engine.Limits{Nodes: budget})
				games[i] = append(games[i], timeless(a))
				pos.Play(a.Move)
			}
		}
		for i, what := range []string{"a second engine", "two threads"} {
			if !reflect.DeepEqual(games[0], games[i+1]) {
				t.Errorf("%s: %+v, with %s %+v", v, games[0], what, games[i+1])
			}
		}
	}
}

// An engine that is interrupted on the way, or thinks until it is, has an answer, and goes
// on like one that was not after Forget.
func TestBothIsInterrupted(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "caro"})
	pos := enginetest.Parse(t, v, "h8i9j8")
	for _, threads := range []int{1, 2} {
		b := both(t, v, func(s *BothSettings) { s.Threads = threads })
		want := timeless(enginetest.Answer(t, b, t.Context(), pos, engine.Limits{Nodes: 400}))
		for reports := range 4 {
			ctx, cancel := context.WithCancel(t.Context())
			l := engine.Limits{Report: func(a *engine.Answer) {
				enginetest.Check(t, a, pos)
				if reports--; reports < 0 {
					cancel()
				}
			}}
			if reports%2 == 1 {
				l.Nodes = 5000
			}
			enginetest.Answer(t, b, ctx, pos, l)
			b.Ponder(ctx, pos)
			b.Forget()
			if got := timeless(enginetest.Answer(t, b, t.Context(), pos, engine.Limits{Nodes: 400})); !reflect.DeepEqual(got, want) {
				t.Fatalf("%d threads: %+v after an interruption, before %+v", threads, got, want)
			}
			b.Forget()
			cancel()
		}
	}
}

// A loss that the classical half claims of the tree's move lets its own move pass, or
// where that loses too the tree's next; claims of wins are taken at once; a proof of the
// tree is above all of these; and what neither has decided is weighed.
func TestWeigh(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	const tm, cm, next game.Move = 10, 20, 30
	line := func(m game.Move, s alphabeta.Score) alphabeta.Result {
		return alphabeta.Result{Move: m, Score: s, Lines: []alphabeta.Line{{Moves: []game.Move{m}, Score: s, Depth: 5}}}
	}
	kids := func(other mcts.Child) mcts.Result {
		other.Move = cm
		return mcts.Result{Move: tm, Value: 0.1, Visits: 100, Children: []mcts.Child{{Move: tm, Visits: 60, Q: 0.1}, {Move: next, Visits: 25, Q: 0.05}, other}}
	}
	held := func(m game.Move, refuted ...game.Move) *check {
		c := &check{of: engine.Finding{Move: m, Value: -0.1}}
		for _, m := range refuted {
			c.refuted = append(c.refuted, engine.Finding{Move: m, Value: -1, Proof: engine.Proof{Result: engine.Loss, Plies: 6, Claimed: true}})
		}
		if len(refuted) > 0 && refuted[len(refuted)-1] == m {
			c.of = c.refuted[len(refuted)-1]
		}
		return c
	}
	won := kids(mcts.Child{})
	won.Proven = mcts.Win
	for _, c := range []struct {
		name   string
		tree   mcts.Result
		found  alphabeta.Result
		check  *check
		bias   float64
		move   game.Move
		reason engine.Reason
	}{
		{"the same move", kids(mcts.Child{}), line(tm, 50), nil, 0, tm, engine.Agreed},
		{"a proof of the tree", won, line(cm, alphabeta.WinIn(5)), nil, 0, tm, engine.Proven},
		{"a claimed win", kids(mcts.Child{}), line(cm, alphabeta.WinIn(5)), nil, -99, cm, engine.Claimed},
		{"a claimed win that the tree has refuted", kids(mcts.Child{Proven: mcts.Loss}), line(cm, alphabeta.WinIn(5)), nil, 99, tm, engine.Proven},
		{"a refuted move", kids(mcts.Child{}), line(cm, 10), held(tm, tm), -99, cm, engine.Refuted},
		{"a refuted move where the other loses", kids(mcts.Child{}), line(cm, alphabeta.LossIn(8)), held(next, tm), 99, next, engine.Refuted},
		{"all refuted", kids(mcts.Child{}), line(cm, alphabeta.LossIn(8)), held(next, tm, next), -99, cm, engine.Refuted},
		{"a loss of the other's move alone", kids(mcts.Child{}), line(cm, alphabeta.LossIn(8)), held(tm), 99, tm, engine.Weighed},
		{"both refuted, and the next one holds", kids(mcts.Child{Proven: mcts.Loss}), line(cm, 10), held(next, tm), 99, next, engine.Refuted},
		{"the other's move loses", kids(mcts.Child{Proven: mcts.Loss}), line(cm, 10), held(tm), 99, tm, engine.Proven},
		{"all refuted, and the other's move by a proof", kids(mcts.Child{Proven: mcts.Loss}), line(cm, 10), held(next, tm, next), 99, tm, engine.Proven},
		{"weighed for the tree", kids(mcts.Child{}), line(cm, 10), held(tm), -99, tm, engine.Weighed},
		{"weighed for the classical half", kids(mcts.Child{}), line(cm, 10), held(tm), 99, cm, engine.Weighed},
		{"without a check", kids(mcts.Child{}), line(cm, 10), nil, 99, cm, engine.Weighed},
		{"nothing found", kids(mcts.Child{}), alphabeta.Result{}, nil, 99, tm, engine.Alone},
	} {
		b := both(t, v, nil)
		b.weights = weights{bias: c.bias}
		b.tree.result = c.tree
		b.rounds = rounds{both: b, limits: &engine.Limits{}}
		h := b.rounds.weigh(c.found, c.check)
		if h.Reason != c.reason || b.rounds.played(h) != c.move {
			t.Errorf("%s: %d, %s: %+v", c.name, b.rounds.played(h), h.Reason, h)
		}
	}
}

// The rule's numbers count as doc.go says.
func TestWeights(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	b := both(t, v, nil)
	r := rounds{both: b}
	h := &engine.Halves{Other: engine.Finding{Move: 2, Value: 0.5}, Checked: engine.Finding{Move: 1, Value: 0.1}}
	own, other := &mcts.Child{Move: 1, Q: 0.3, Visits: 99}, &mcts.Child{Move: 2, Q: 0.1, Visits: 9}
	for _, c := range []struct {
		w    weights
		want bool
	}{
		{weights{}, false},
		{weights{bias: 0.01}, true},
		{weights{value: 1, bias: -0.39}, true},
		{weights{value: 1, bias: -0.41}, false},
		{weights{mean: 1, bias: 0.19}, false},
		{weights{mean: 1, bias: 0.21}, true},
		{weights{visits: 1, bias: 2.29}, false}, // ln(100/10) is 2.302...
		{weights{visits: 1, bias: 2.31}, true},
	} {
		b.weights = c.w
		if got := r.prefersOther(h, own, other); got != c.want {
			t.Errorf("%+v: %t", c.w, got)
		}
	}
}

// The check finds the refutation of a move that the tree would have played: without
// solvers and with few playouts a tree of uniform priors does not see a four and a three.
func TestCheckRefutes(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	refuted := 0
	for _, text := range []string{"h8a1i8a3j8", "h8a1i9a3j10", "h8a1h9a3h10", "h8o15j8o13i9"} {
		pos := enginetest.Parse(t, v, text)
		b := NewBoth(tree(t, v, TreeOptions{}), classical(t, v), BothSettings{Share: 0.5, Rate: 60, Check: true, Threads: 1})
		a := enginetest.Answer(t, b, t.Context(), pos, engine.Limits{Nodes: 200})
		if h := a.Halves; h.Reason == engine.Refuted {
			refuted++
			if len(h.Refuted) == 0 || h.Refuted[0].Move != h.Tree.Move || a.Move == h.Tree.Move {
				t.Errorf("%s: %+v", text, h)
			}
			if a.Moves[0].Move != a.Move {
				t.Errorf("%s: %d is played, %d shown first", text, a.Move, a.Moves[0].Move)
			}
		}
	}
	if refuted == 0 {
		t.Error("nothing was refuted")
	}
}

// against is a solver that has refuted one move.
type against struct {
	mcts.NoSolver
	move  game.Move
	asked int
}

func (a *against) Audit(_ context.Context, _ game.Position, m game.Move) mcts.Solution {
	if m != a.move {
		return mcts.Solution{}
	}
	a.asked++
	return mcts.Solution{Proof: mcts.Win, Plies: 7}
}

// The classical half's move is not played where the tree's solver refutes it.
func TestSolverRefutesTheOther(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	s := BothSettings{Share: 0.5, Rate: 60, Check: true, Threads: 1, Decides: DecidesAlphaBeta}
	differ := 0
	for _, text := range []string{"h8i9j8", "h8i9h10g7", "h8i9i8j8h9", "h8h9i9j10g8"} {
		pos := enginetest.Parse(t, v, text)
		answer := func(solver mcts.Solver) *engine.Answer {
			b := NewBoth(NewTreeOver(nn.NewUniform(1), solver, TreeOptions{}), classical(t, v), s)
			return enginetest.Answer(t, b, t.Context(), pos, engine.Limits{Nodes: 200})
		}
		plain := answer(nil)
		if plain.Halves.Decided != engine.ClassicalHalf {
			continue
		}
		differ++
		solver := &against{move: plain.Move}
		if a := answer(solver); solver.asked == 0 || a.Move == plain.Move || a.Halves.Decided != engine.TreeHalf {
			t.Errorf("%s: asked %d times, %d is played: %+v", text, solver.asked, a.Move, a.Halves)
		}
	}
	if differ == 0 {
		t.Error("the halves never differed")
	}
}

// A proof that holds in the whole game is all that a restricted search has.
func TestBothRestricted(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	pos := enginetest.Parse(t, v, "h8a1i8a2j8a3k8a5")
	b := both(t, v, nil)
	free := enginetest.Answer(t, b, t.Context(), pos, engine.Limits{Nodes: 100})
	if free.Proof.Result != engine.Win {
		t.Fatalf("%+v", free)
	}
	barred := map[game.Move]bool{free.Move: true}
	a := enginetest.Answer(t, b, t.Context(), pos, engine.Limits{Nodes: 100, Restrict: &engine.Restriction{
		Plies: 1, Barred: func(_ int, _ game.Side, m game.Move) bool { return barred[m] },
	}})
	if a.Move == free.Move || a.Proof.Result == engine.Loss {
		t.Errorf("%+v", a)
	}
}

// ticking is a time that passes by being looked at.
type ticking struct{ looks atomic.Int64 }

const tick = 200 * time.Microsecond

func (t *ticking) Now() time.Time {
	return time.Unix(1000, 0).Add(time.Duration(t.looks.Add(1)) * tick)
}

func (t *ticking) WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	return ending{ctx, t, at}, cancel
}

// ending ends when its time has come.
type ending struct {
	context.Context
	time *ticking
	at   time.Time
}

func (e ending) Err() error {
	if err := e.Context.Err(); err != nil {
		return err
	}
	if !e.time.Now().Before(e.at) {
		return context.DeadlineExceeded
	}
	return nil
}

// A clock bounds the whole, the check included, and both halves get to work under it.
func TestBothByTheClock(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "caro"})
	pos := enginetest.Parse(t, v, "h8i9j8")
	clock := engine.Clock{Turn: 300 * time.Millisecond, Timekeeper: engine.Referee}
	for _, threads := range []int{1, 2} {
		for _, check := range []bool{false, true} {
			looked := new(ticking)
			s := BothSettings{Share: 0.5, Rate: defaultRate, Exchange: true, Check: check, Threads: threads}
			b := NewBoth(tree(t, v, TreeOptions{Solvers: games.DefaultSolvers(), Time: looked}), classical(t, v), s)
			began := looked.Now()
			a := enginetest.Answer(t, b, t.Context(), pos, engine.Limits{Clock: clock})
			if took := looked.Now().Sub(began); took > clock.Turn || took < clock.Turn/2 {
				t.Errorf("%d threads: %v of %v", threads, took, clock.Turn)
			}
			if h := a.Halves; h.Playouts < 50 || h.Nodes < 50 {
				t.Errorf("%d threads: %+v", threads, h)
			}
		}
	}
}
