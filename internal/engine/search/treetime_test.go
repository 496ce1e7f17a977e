package search

import (
	"context"

	"slices"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/engine"

	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

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

// lenient is a watched time whose later deadlines do not end.
type lenient struct{ watched }

func (l *lenient) WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc) {
	if len(l.asked) == 0 {
		return l.watched.WithDeadline(ctx, at)
	}
	return context.WithCancel(ctx)
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
		{t.Context(), engine.Clock{Turn: time.Second, Timekeeper: engine.Referee}, []time.Duration{900 * time.Millisecond, 50 * time.Millisecond}},
		{t.Context(), engine.Clock{Turn: time.Second}, []time.Duration{time.Second, 0}},
		{ended, engine.Clock{}, []time.Duration{checkTime}},
	} {
		w := &watched{}
		solver := &slowSolver{time: w}
		tree := NewTreeOver(nn.NewUniform(1), solver, TreeOptions{Time: w})
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

// counting lets a time run out after some evaluations.
type counting struct {
	nn.Evaluator
	left int
	time *lenient
}

func (c *counting) Wait(ctx context.Context, n int) error {
	if c.left--; c.left == 0 {
		c.time.cancel()
	}
	return c.Evaluator.Wait(ctx, n)
}

// auditor proves nothing, and refutes the first move that it is asked about.
type auditor struct {
	mcts.NoSolver
	asked []game.Move
}

func (a *auditor) Audit(_ context.Context, _ game.Position, m game.Move) (w mcts.Solution) {
	if a.asked = append(a.asked, m); len(a.asked) == 1 {
		w = mcts.Solution{Proof: mcts.Win, Move: 0, Plies: 3}
	}
	return w
}

// A search that the clock ends does not choose a move that the solvers refute.
func TestTheTreeAuditsUnderAClock(t *testing.T) {
	a, l := &auditor{}, &lenient{}
	tree := NewTreeOver(&counting{nn.NewMock(7), 40, l}, a, TreeOptions{Time: l})
	found, err := tree.Think(t.Context(), gametest.NewMNK(5, 5, 5), engine.Limits{Clock: engine.Clock{Left: time.Second, Timekeeper: engine.Referee}})
	if err != nil || len(a.asked) != 2 || found.Move != a.asked[1] || found.Move == a.asked[0] {
		t.Errorf("%+v, %v, after questions about %v; want the second of two", found, err, a.asked)
	}
}
