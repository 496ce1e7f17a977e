package arena

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/engine"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is a player made of a function.
type scripted struct {
	start  Start
	order  []game.Move // in which its answers judge moves
	begin  func(ctx context.Context, start Start) error
	move   func(ctx context.Context, s *scripted, pos game.Position, clock engine.Clock) (game.Move, error)
	closed func()
}

func (s *scripted) NewGame(ctx context.Context, start Start) error {
	s.start = start
	if s.begin != nil {
		return s.begin(ctx, start)
	}
	return nil
}

func (s *scripted) Think(ctx context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	m, err := s.move(ctx, s, pos, l.Clock)
	if err != nil {
		return nil, err
	}
	a := &engine.Answer{Move: m}
	for _, m := range s.order {
		a.Moves = append(a.Moves, engine.Opinion{Move: m})
	}
	return a, nil
}

func (s *scripted) Close() error {
	if s.closed != nil {
		s.closed()
	}
	return nil
}

type moveFunc = func(ctx context.Context, s *scripted, pos game.Position, clock engine.Clock) (game.Move, error)

func entrant(name string, move moveFunc) Entrant {
	return Entrant{Name: name, New: func(context.Context) (Player, error) { return &scripted{move: move}, nil }}
}

// firstMove plays the legal move of the lowest number.
func firstMove(_ context.Context, _ *scripted, pos game.Position, _ engine.Clock) (game.Move, error) {
	return pos.Moves(nil)[0], nil
}

// drawn plays a random move that depends on the seed and the position alone.
func drawn(_ context.Context, s *scripted, pos game.Position, _ engine.Clock) (game.Move, error) {
	moves := pos.Moves(nil)
	rng := rand.New(rand.NewPCG(s.start.Seed, pos.Hash()))
	return moves[rng.IntN(len(moves))], nil
}

// greedy wins at once where it can and is drawn otherwise.
func greedy(ctx context.Context, s *scripted, pos game.Position, clock engine.Clock) (game.Move, error) {
	if wins := pos.Wins(nil); len(wins) > 0 {
		return wins[0], nil
	}
	return drawn(ctx, s, pos, clock)
}

// perfect plays a move of the best value.
func perfect(_ context.Context, _ *scripted, pos game.Position, _ engine.Clock) (game.Move, error) {
	best, value := game.NoMove, -2
	for _, m := range pos.Moves(nil) {
		pos.Play(m)
		if v := -gametest.Minimax(pos); v > value {
			best, value = m, v
		}
		pos.Undo()
	}
	return best, nil
}

// fakeTime is a clock that the test moves.
type fakeTime struct {
	mu     sync.Mutex
	now    time.Time
	timers map[*fakeTimer]bool
}

type fakeTimer struct {
	at     time.Time
	cancel context.CancelFunc
}

func (f *fakeTime) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fakeTime) WithDeadline(ctx context.Context, at time.Time) (context.Context, context.CancelFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	if f.timers == nil {
		f.timers = map[*fakeTimer]bool{}
	}
	timer := &fakeTimer{at, cancel}
	f.timers[timer] = true
	return ctx, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.timers, timer)
		cancel()
	}
}

// pass lets d pass and ends the contexts that are due.
func (f *fakeTime) pass(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = f.now.Add(d)
	for timer := range f.timers {
		if !timer.at.After(f.now) {
			timer.cancel()
		}
	}
}

// options returns a match of tic-tac-toe.
func options(games int, entrants ...Entrant) Options {
	start := gametest.NewMNK(3, 3, 3)
	return Options{Entrants: entrants, Games: games, Start: start, Notation: start.Notation(), Seed: 1}
}

// run plays a match and returns its results in the order of the callback.
func run(t *testing.T, opts Options) ([]*Result, Report) {
	t.Helper()
	results, report, err := tryRun(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return results, report
}

func tryRun(ctx context.Context, opts Options) ([]*Result, Report, error) {
	var results []*Result
	after := opts.OnResult
	opts.OnResult = func(r *Result, report Report) {
		results = append(results, r)
		if after != nil {
			after(r, report)
		}
	}
	m, err := New(opts)
	if err != nil {
		return nil, Report{}, err
	}
	report, err := m.Run(ctx)
	return results, report, err
}

// counted returns the entrant with a count of the players that were made and
// not yet closed, and of all that were made.
func counted(e Entrant) (Entrant, *atomic.Int32, *atomic.Int32) {
	var open, made atomic.Int32
	inner := e.New
	e.New = func(ctx context.Context) (Player, error) {
		p, err := inner(ctx)
		if s, ok := p.(*scripted); ok {
			open.Add(1)
			made.Add(1)
			s.closed = func() { open.Add(-1) }
		}
		return p, err
	}
	return e, &open, &made
}

var errBroken = errors.New("broken")
