package arena

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

func searcher(name string, opts SearchOptions) Entrant {
	return Entrant{Name: name, New: func(context.Context) (Player, error) {
		return NewSearchPlayer(opts, nn.NewMock(7), nil, nil), nil
	}}
}

func TestSearchPlayerDoesNotLoseTicTacToe(t *testing.T) {
	strong := Entrant{Name: "search", New: func(context.Context) (Player, error) {
		return NewSearchPlayer(SearchOptions{Playouts: 600, Reuse: true}, nn.NewUniform(8), nil, nil), nil
	}}
	opts := options(20, strong, entrant("random", drawn))
	opts.Workers = 2
	_, report := run(t, opts)
	if s := report.Summary(); s.BWins != 0 || s.AWins < 10 || s.Forfeits != 0 {
		t.Errorf("summary %+v", s)
	}
}

// The games depend on the seed, and on nothing that happened before them.
func TestSearchPlayerIsDeterministic(t *testing.T) {
	noisy := SearchOptions{Playouts: 30, Reuse: true, Noise: true, Temperature: mcts.Schedule{Start: 1, End: 1}}
	var want []*Result
	for _, workers := range []int{1, 4} {
		opts := options(24, searcher("a", noisy), searcher("b", SearchOptions{Visits: 40}))
		opts.Start = gametest.NewMNK(4, 4, 4)
		opts.Notation = gametest.MNKNotation{Columns: 4}
		opts.Workers = workers
		results, _ := run(t, opts)
		if want == nil {
			want = results
		}
		if !reflect.DeepEqual(results, want) {
			t.Fatal("the results depend on the workers")
		}
	}
	openings := map[game.Move]bool{}
	for _, r := range want {
		openings[r.Moves[0]] = true
	}
	if len(openings) < 4 {
		t.Errorf("%d first moves in 24 games: the game's number changes nothing", len(openings))
	}
}

func TestSearchPlayerReusesTheTree(t *testing.T) {
	for _, reuse := range []bool{true, false} {
		p := NewSearchPlayer(SearchOptions{Playouts: 200, Reuse: reuse}, nn.NewUniform(8), nil, nil)
		pos := game.Position(gametest.NewMNK(4, 4, 4))
		if err := p.NewGame(t.Context(), Start{Position: pos}); err != nil {
			t.Fatal(err)
		}
		for turn := range 3 {
			m, err := p.Move(t.Context(), pos.Clone(), Clock{})
			if err != nil || !pos.Legal(m) {
				t.Fatalf("move %d, %v", m, err)
			}
			if p.result.Playouts != 200 || (p.result.Visits > 201) != (reuse && turn > 0) {
				t.Errorf("reuse %t, turn %d: %d playouts, %d visits", reuse, turn, p.result.Playouts, p.result.Visits)
			}
			pos.Play(m)
			pos.Play(pos.Moves(nil)[0])
		}
		// A move that another player put in its place leads to a new tree.
		m, err := p.Move(t.Context(), pos.Clone(), Clock{})
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range pos.Moves(nil) {
			if other != m {
				pos.Play(other)
				break
			}
		}
		pos.Play(pos.Moves(nil)[0])
		if _, err := p.Move(t.Context(), pos.Clone(), Clock{}); err != nil || p.result.Visits > 201 {
			t.Errorf("after another move: %d visits, %v", p.result.Visits, err)
		}
	}
}

// A new game begins with a new tree, even where it goes on from a position
// that the last one could have come to.
func TestSearchPlayerForgetsTheLastGame(t *testing.T) {
	p := NewSearchPlayer(SearchOptions{Playouts: 200, Reuse: true}, nn.NewUniform(8), nil, nil)
	pos := game.Position(gametest.NewMNK(4, 4, 4))
	for range 2 {
		if err := p.NewGame(t.Context(), Start{Position: pos}); err != nil {
			t.Fatal(err)
		}
		m, err := p.Move(t.Context(), pos.Clone(), Clock{})
		if err != nil || p.result.Visits > 201 {
			t.Fatalf("%d visits, %v", p.result.Visits, err)
		}
		pos.Play(m)
		pos.Play(pos.Moves(nil)[0])
	}
}

// endless makes every search run until its time is over, which it is at once.
type endless struct{ SystemTime }

func (endless) WithTimeout(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx, cancel
}

func TestSearchPlayerUnderAClock(t *testing.T) {
	pos := gametest.NewMNK(5, 5, 5)
	p := NewSearchPlayer(SearchOptions{Time: endless{}}, nn.NewUniform(8), nil, nil)
	clock := Clock{Control: TimeControl{Base: time.Second}, Left: time.Second}
	if m, err := p.Move(t.Context(), pos.Clone(), clock); err != nil || !pos.Legal(m) {
		t.Errorf("move %d, %v when the budget is spent", m, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Move(ended, pos.Clone(), clock); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v when the context has ended", err)
	}
	if _, err := p.Move(t.Context(), pos.Clone(), Clock{}); err == nil {
		t.Error("no error from a search without bounds")
	}
}

// expiring is a clock that runs out when told to.
type expiring struct {
	SystemTime
	cancel context.CancelFunc
}

func (e *expiring) WithTimeout(ctx context.Context, _ time.Duration) (context.Context, context.CancelFunc) {
	ctx, e.cancel = context.WithCancel(ctx)
	return ctx, e.cancel
}

// counting lets a clock run out after some evaluations.
type counting struct {
	nn.Evaluator
	left  int
	clock *expiring
}

func (c *counting) Wait(ctx context.Context, n int) error {
	if c.left--; c.left == 0 {
		c.clock.cancel()
	}
	return c.Evaluator.Wait(ctx, n)
}

// auditor proves nothing, and refutes the first move that it is asked about.
type auditor struct {
	mcts.NoSolver
	asked []game.Move
}

func (a *auditor) Audit(_ context.Context, _ game.Position, m game.Move) (w mcts.ForcedWin) {
	if a.asked = append(a.asked, m); len(a.asked) == 1 {
		w = mcts.ForcedWin{Move: 0, Plies: 3}
	}
	return w
}

// A search that the clock ends does not play a move that the solvers refute.
func TestSearchPlayerAuditsUnderAClock(t *testing.T) {
	a, clock := &auditor{}, &expiring{}
	p := NewSearchPlayer(SearchOptions{Time: clock}, &counting{nn.NewMock(7), 40, clock}, a, nil)
	m, err := p.Move(t.Context(), gametest.NewMNK(5, 5, 5), Clock{Control: TimeControl{Base: time.Second}, Left: time.Second})
	if err != nil || len(a.asked) != 2 || m != a.asked[1] || m == a.asked[0] {
		t.Errorf("move %d, %v, after questions about %v; want the second of two", m, err, a.asked)
	}
}

// watched is an expiring clock that notes what times it is asked to measure, and
// lets all but the first be over at once.
type watched struct {
	expiring
	asked []time.Duration
}

func (w *watched) WithTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if w.asked = append(w.asked, d); len(w.asked) > 1 {
		return endless{}.WithTimeout(ctx, d)
	}
	return w.expiring.WithTimeout(ctx, d)
}

// slowSolver is a solver that takes all of the time, and notes whether it was told of
// its end.
type slowSolver struct {
	mcts.NoSolver
	clock  *watched
	audits []error
	late   bool // it was asked about a leaf without being told
}

func (s *slowSolver) Leaf(ctx context.Context, _ game.Position) mcts.ForcedWin {
	s.clock.cancel()
	s.late = s.late || ctx.Err() == nil
	return mcts.ForcedWin{}
}

func (s *slowSolver) Audit(ctx context.Context, _ game.Position, _ game.Move) mcts.ForcedWin {
	s.audits = append(s.audits, ctx.Err())
	return mcts.ForcedWin{}
}

// The solvers end with the clock's budget, and what they are asked about the
// chosen move with its reserve.
func TestSearchPlayerEndsItsSolvers(t *testing.T) {
	clock := &watched{}
	solver := &slowSolver{clock: clock}
	p := NewSearchPlayer(SearchOptions{Time: clock}, nn.NewUniform(1), solver, nil)
	told := Clock{Control: TimeControl{Turn: time.Second}}
	if _, err := p.Move(t.Context(), gametest.NewMNK(5, 5, 5), told); err != nil {
		t.Fatal(err)
	}
	if want := []time.Duration{900 * time.Millisecond, 50 * time.Millisecond}; !slices.Equal(clock.asked, want) {
		t.Errorf("measured %v, want %v", clock.asked, want)
	}
	if solver.late || len(solver.audits) != 1 || solver.audits[0] == nil {
		t.Errorf("late %v, audits under contexts that say %v", solver.late, solver.audits)
	}
}

func TestSearchPlayerCloses(t *testing.T) {
	p := NewSearchPlayer(SearchOptions{}, nn.NewUniform(1), nil, func() error { return errBroken })
	if err := p.Close(); err != errBroken {
		t.Errorf("error %v", err)
	}
	if err := NewSearchPlayer(SearchOptions{}, nn.NewUniform(1), nil, nil).Close(); err != nil {
		t.Error(err)
	}
}

// The guard makes a player without knowledge much stronger in a game in which
// threats come at once.
func TestGuardedRandomBeatsRandom(t *testing.T) {
	guarded := Entrant{Name: "guarded", New: func(context.Context) (Player, error) {
		return NewGuard(&scripted{move: drawn}), nil
	}}
	opts := options(60, guarded, entrant("bare", drawn))
	_, report := run(t, opts)
	if s := report.Summary(); s.AWins <= 2*s.BWins {
		t.Errorf("summary %+v", s)
	}
}
