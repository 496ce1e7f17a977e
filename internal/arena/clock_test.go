package arena

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/engine"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

func TestParseTimeControl(t *testing.T) {
	for text, want := range map[string]TimeControl{
		"60+0.5": {Base: time.Minute, Increment: 500 * time.Millisecond},
		"300":    {Base: 5 * time.Minute},
		"0.1+0":  {Base: 100 * time.Millisecond},
	} {
		if got, err := ParseTimeControl(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "+", "60+", "+1", "0", "-1", "60+-1", "1e7", "inf", "NaN", "60+1+1", "6s"} {
		if got, err := ParseTimeControl(text); err == nil {
			t.Errorf("%q: %+v, want an error", text, got)
		}
	}
}

// Samples are estimated as the definition says, one of a kind included: as many as there
// are, and one more in two halves where all are alike.
func TestEstimateEloOfFewSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.SampledFrom([]int{0, 0, 1, 2, 300}), 3, 5).Draw(t, "counts")
		scores, weights := make([]float64, len(counts)), make([]float64, len(counts))
		kinds, at, n := 0, len(counts)/2, 0.0
		for i, c := range counts {
			scores[i] = float64(i) / float64(len(counts)-1)
			weights[i] = float64(c)
			n += float64(c)
			if c >= 1 {
				kinds, at = kinds+1, i
			}
		}
		if kinds < 2 {
			up, down := at+1, at-1
			if down < 0 {
				down = up
			} else if up == len(counts) {
				up = down
			}
			weights[up] += 0.5
			weights[down] += 0.5
			n++
		}
		mean, variance := stat.PopMeanVariance(scores, weights)
		half := 1.959963984540054 * math.Sqrt(variance/n)
		elo, bound := EstimateElo(counts)
		if math.Abs(elo-EloOf(mean)) > 1e-8 || math.Abs(bound-(EloOf(mean+half)-EloOf(mean-half))/2) > 1e-8 {
			t.Fatalf("Elo of %v = %g +- %g, want %g", counts, elo, bound, EloOf(mean))
		}
	})
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is a player made of a function.
type scripted struct {
	start  Start
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
	return &engine.Answer{Move: m}, nil
}

func (s *scripted) Close() error {
	if s.closed != nil {
		s.closed()
	}
	return nil
}

type moveFunc = func(ctx context.Context, s *scripted, pos game.Position, clock engine.Clock) (game.Move, error)

func entrant(name string, move moveFunc) Entrant {
	return Entrant{Name: name, New: func() (Player, error) { return &scripted{move: move}, nil }}
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
func options(games int, a, b Entrant) Options {
	start := gametest.NewMNK(3, 3, 3)
	return Options{Entrants: [2]Entrant{a, b}, Games: games, Start: start, Notation: start.Notation(), Seed: 1}
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
	e.New = func() (Player, error) {
		p, err := inner()
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
