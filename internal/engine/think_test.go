package engine_test

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"pgregory.net/rapid"
)

func tree(t testing.TB, v games.Variant, o engine.TreeOptions) *engine.Tree {
	t.Helper()
	e, err := engine.NewTree(enginetest.Uniform(t, v), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func classical(t testing.TB, v games.Variant) *engine.Classical {
	t.Helper()
	c, err := engine.NewClassical(v, engine.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// engines are what every engine is demanded of.
var engines = map[string]func(t testing.TB, v games.Variant) engine.Engine{
	"tree": func(t testing.TB, v games.Variant) engine.Engine { return tree(t, v, engine.TreeOptions{}) },
	"tree with solvers": func(t testing.TB, v games.Variant) engine.Engine {
		return tree(t, v, engine.TreeOptions{Solvers: games.DefaultSolvers(), Reuse: true})
	},
	"classical": func(t testing.TB, v games.Variant) engine.Engine { return classical(t, v) },
}

// An engine answers a rude caller: one that gives it no time, and one that asks
// the same again.
func TestEnginesAnswer(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, open := range engines {
		for _, o := range []games.VariantOptions{{Rule: "caro", Size: 9}, {Rule: "school42", Size: 13},
			{Game: games.Onitama}} {
			v := enginetest.Variant(t, o)
			pos, err := v.Start()
			if err != nil {
				t.Fatal(err)
			}
			e := open(t, v)
			enginetest.Answer(t, e, ended, pos, engine.Limits{})
			e.Forget()
			first := enginetest.Answer(t, e, t.Context(), pos, engine.Limits{Nodes: 300})
			e.Ponder(ended, pos)
			after := pos.Clone()
			after.Play(first.Move)
			e.Ponder(ended, after)
			e.Forget()
			again := enginetest.Answer(t, e, t.Context(), pos, engine.Limits{Nodes: 300})
			again.Stats.Elapsed, first.Stats.Elapsed = 0, 0
			if !reflect.DeepEqual(again, first) {
				t.Errorf("%s, %s: %+v, then %+v", name, v, first, again)
			}
			enginetest.Answer(t, e, t.Context(), pos, engine.Limits{Clock: engine.Clock{Turn: 1, Timekeeper: engine.Manager}})
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Reports come on the way, each from more work than the one before.
func TestEnginesReport(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle", Size: 15})
	pos := enginetest.Parse(t, v, "h8i9")
	for name, open := range engines {
		var last int64
		reports := 0
		a := enginetest.Answer(t, open(t, v), t.Context(), pos, engine.Limits{Nodes: 20_000, Report: func(a *engine.Answer) {
			enginetest.Check(t, a, pos)
			if reports++; a.Stats.Nodes <= last {
				t.Errorf("%s: %d nodes after %d", name, a.Stats.Nodes, last)
			}
			last = a.Stats.Nodes
		}})
		if reports < 2 || last > a.Stats.Nodes {
			t.Errorf("%s: %d reports, the last of %d of %d nodes", name, reports, last, a.Stats.Nodes)
		}
	}
}

// A win that an engine proves is won against every defence within its distance,
// however the engine is asked again on the way; and what a move is said to lead
// to is what is said after it.
func TestDistancesReplay(t *testing.T) {
	for name, open := range engines {
		rapid.Check(t, func(r *rapid.T) {
			o := rapid.SampledFrom([]games.VariantOptions{{Rule: "freestyle"}, {Rule: "renju"}, {Rule: "caro"}}).Draw(r, "rule")
			v := enginetest.Variant(t, o)
			e := open(t, v)
			pos := enginetest.Parse(t, v, rapid.SampledFrom([]string{"h8a1i8a2j8a3", "h8a1i8a3j8a15k8g10", "h8a1i8a3j8c13",
				"g7a1i7a3g9c13i9o1"}).Draw(r, "position"))
			side := pos.ToMove()
			within := -1
			for pos.Outcome() == game.Undecided {
				if pos.ToMove() != side {
					pos.Play(rapid.SampledFrom(pos.Moves(nil)).Draw(r, "defence"))
					within--
					continue
				}
				e.Forget()
				a := enginetest.Answer(t, e, t.Context(), pos, engine.Limits{Nodes: 3000})
				p := a.Proof
				switch {
				case p.Result != game.Won && within < 0:
					return // nothing was promised
				case p.Result != game.Won || within >= 0 && p.Plies > within:
					r.Fatalf("%s: %v where a win within %d was promised", name, p, within)
				case a.Value != 1 || p.Signed() != p.Plies || a.Moves[0].Move != a.Move || a.Moves[0].Proof != p:
					r.Fatalf("%s: %v, but %+v", name, p, a.Moves[0])
				}
				pos.Play(a.Move)
				within = p.Plies - 1
				if pos.Outcome() == game.Undecided {
					e.Forget()
					if after := enginetest.Answer(t, e, t.Context(), pos, engine.Limits{Nodes: 3000}).Proof; after.Result == game.Won {
						r.Fatalf("%s: %v after %v", name, after, p)
					}
				}
			}
			if pos.Outcome() != game.WinFor(side) || within < 0 {
				r.Fatalf("%s: %v, %d plies left", name, pos.Outcome(), within)
			}
		})
	}
}

// What a tree answers is what the searcher says, on either form of the board.
func TestTheTreeSaysWhatTheSearcherSays(t *testing.T) {
	for _, o := range []games.VariantOptions{{Rule: "renju", Size: 11}, {Rule: "caro", Size: 15}, {Game: games.Onitama}} {
		v := enginetest.Variant(t, o)
		pos, err := v.Start()
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			pos.Play(pos.Moves(nil)[pos.MaxMoves()/3%len(pos.Moves(nil))])
		}
		for _, n := range []games.SolverNodes{{}, games.DefaultSolvers()} {
			want := raw(t, v, n, pos)
			a := enginetest.Answer(t, tree(t, v, engine.TreeOptions{Solvers: n}), t.Context(), pos, engine.Limits{Nodes: 400})
			same(t, a, &want)
		}
	}
}

// raw returns what the searcher says of a position with an empty tree, or after
// moves were played on the tree of one.
func raw(t *testing.T, v games.Variant, n games.SolverNodes, pos game.Position, moves ...game.Move) (r mcts.Result) {
	t.Helper()
	eval, err := enginetest.Uniform(t, v).Evaluator(nn.EvaluatorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := mcts.New(mcts.Options{}, eval, v.Solvers(n))
	if err := s.SetPosition(v.Searchable(pos)); err != nil {
		t.Fatal(err)
	}
	if moves != nil {
		if err := s.Search(t.Context(), mcts.Limits{Playouts: 400}); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range moves {
		if err := s.Advance(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Search(t.Context(), mcts.Limits{Playouts: 400}); err != nil {
		t.Fatal(err)
	}
	s.Result(&r)
	return r
}

// same compares an answer with a result.
func same(t *testing.T, a *engine.Answer, want *mcts.Result) {
	t.Helper()
	if a.Move != want.Move || a.Value != want.Value || a.RootValue != want.RootQ || a.NetValue != want.NetValue ||
		a.Stats.Visits != want.Visits || a.Stats.TreeNodes != want.Nodes || int(a.Stats.Nodes) != want.Playouts ||
		a.Proof.Result.String() != want.Proven.String() || a.Proof.Plies != want.ProofPlies ||
		!reflect.DeepEqual(a.Line, want.PV) {
		t.Fatalf("%+v\nwant %+v", a, want)
	}
	for i, c := range want.Children {
		o := a.Moves[i]
		if o.Move != c.Move || o.Visits != int(c.Visits) || o.Prior != c.Prior || o.Value != c.Q ||
			o.Proof.Result.String() != c.Proven.String() || o.Proof.Plies != c.Plies {
			t.Fatalf("move %d: %+v, want %+v", i, o, c)
		}
	}
}

// The tree is kept exactly where a position follows from the last one by at most
// two moves, whichever, and then it is the tree of those moves.
func TestTheTreeIsKept(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		v := enginetest.Variant(t, rapid.SampledFrom([]games.VariantOptions{{Rule: "freestyle", Size: 7},
			{Rule: "renju", Size: 7}, {Game: games.Onitama}}).Draw(r, "game"))
		pos, err := v.Start()
		if err != nil {
			r.Fatal(err)
		}
		play := func() (moves []game.Move) {
			for range rapid.IntRange(0, 3).Draw(r, "plies") {
				m := rapid.SampledFrom(pos.Moves(nil)).Draw(r, "move")
				if pos.Play(m); pos.Outcome() != game.Undecided {
					pos.Undo()
					break
				}
				moves = append(moves, m)
			}
			return moves
		}
		play()
		before := pos.Clone()
		e := tree(t, v, engine.TreeOptions{Reuse: true})
		enginetest.Answer(t, e, t.Context(), pos, engine.Limits{Nodes: 400})
		moves := play()
		var want mcts.Result
		switch {
		case len(moves) > 2:
			want = raw(t, v, games.SolverNodes{}, pos)
		case len(moves) == 0:
			want = raw(t, v, games.SolverNodes{}, before)
			a := enginetest.Answer(t, e, t.Context(), pos, engine.Limits{Nodes: 1})
			if a.Proof.Result == game.Unproven && a.Stats.Visits != want.Visits+1 {
				r.Fatalf("%d visits after %d in the same position", a.Stats.Visits, want.Visits)
			}
			return
		default:
			want = raw(t, v, games.SolverNodes{}, before, moves...)
		}
		same(t, enginetest.Answer(t, e, t.Context(), pos, engine.Limits{Nodes: 400}), &want)
		e.Forget()
		want = raw(t, v, games.SolverNodes{}, pos)
		same(t, enginetest.Answer(t, e, t.Context(), pos, engine.Limits{Nodes: 400}), &want)
	})
}

// watched is a time that stands still and notes what it is asked to measure. All
// but the first of its deadlines have passed; that one ends when told to.
type watched struct {
	asked  []time.Duration
	cancel context.CancelFunc
}

func (w *watched) Now() time.Time { return time.Unix(1000, 0) }

func (w *watched) WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if w.asked = append(w.asked, at.Sub(w.Now())); len(w.asked) == 1 {
		w.cancel = cancel
	} else {
		cancel()
	}
	return ctx, cancel
}

// slowSolver is a solver that takes all of the time, and notes whether it was told
// of its end.
type slowSolver struct {
	mcts.NoSolver
	time   *watched
	audits []error
	late   bool // it was asked about a leaf without being told
}

func (s *slowSolver) Leaf(ctx context.Context, _ game.Position) mcts.Solution {
	s.time.cancel()
	s.late = s.late || ctx.Err() == nil
	return mcts.Solution{}
}

func (s *slowSolver) Audit(ctx context.Context, _ game.Position, _ game.Move) mcts.Solution {
	s.audits = append(s.audits, ctx.Err())
	return mcts.Solution{}
}

// The solvers end with the clock's budget, and what they are asked about the
// chosen move with its reserve; and so where the context ends.
func TestTheTreeEndsItsSolvers(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx   context.Context
		clock engine.Clock
		want  []time.Duration
	}{
		{t.Context(), engine.Clock{Turn: time.Second, Timekeeper: engine.Referee},
			[]time.Duration{900 * time.Millisecond, 50 * time.Millisecond}},
		{t.Context(), engine.Clock{Turn: time.Second}, []time.Duration{time.Second, 0}},
		{ended, engine.Clock{}, []time.Duration{engine.CheckTime}},
	} {
		w := &watched{}
		solver := &slowSolver{time: w}
		tree := engine.NewTreeOver(nn.NewUniform(1), solver, engine.TreeOptions{Time: w})
		a, err := tree.Think(c.ctx, gametest.NewMNK(5, 5, 5), engine.Limits{Clock: c.clock})
		if err != nil || len(a.Moves) != 25 {
			t.Fatalf("%+v, %v: the position was not evaluated", a, err)
		}
		if !slices.Equal(w.asked, c.want) {
			t.Errorf("measured %v, want %v", w.asked, c.want)
		}
		if c.clock.Limited() && (solver.late || len(solver.audits) > 0 && solver.audits[0] == nil) {
			t.Errorf("late %v, audits under contexts that say %v", solver.late, solver.audits)
		}
	}
}

// A network on a device has as many playouts in flight as the budget is worth, unless a
// number is given, which stays.
func TestInFlightFollowsTheBudgetOnADevice(t *testing.T) {
	for playouts, want := range map[int]int{0: 64, 10: 2, 400: 16, 1600: 64, 6400: 256, 1e6: 256} {
		if got := engine.DeviceInFlight(playouts); got != want {
			t.Errorf("%d playouts: %d in flight, want %d", playouts, got, want)
		}
	}
	v := enginetest.Variant(t, games.VariantOptions{Size: 9})
	for model, want := range map[string][2]int{"simulated:1": {games.MaxInFlight, 4}, networks.Uniform: {2, 4}} {
		net, err := new(networks.Loader).Open(v, model)
		if err != nil {
			t.Fatal(err)
		}
		defer net.Close()
		for i, asked := range []int{0, 4} {
			tree, err := engine.NewTree(net, engine.TreeOptions{Search: mcts.Options{InFlight: asked}})
			if err != nil {
				t.Fatal(err)
			}
			if got := tree.Options().Search.InFlight; got != want[i] || engine.ByBudget(tree) != (got == games.MaxInFlight) {
				t.Errorf("%s, asked for %d: %d in flight at most", model, asked, got)
			}
		}
	}
}
