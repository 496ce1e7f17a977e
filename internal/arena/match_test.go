package arena

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/engine"
)

func TestPerfectNeverLosesToRandom(t *testing.T) {
	opts := options(20, entrant("perfect", perfect), entrant("random", drawn))
	opts.Workers = 3
	opts.Openings = &RandomOpenings{Start: opts.Start, Plies: 2, Tolerance: 0.1, Tries: 200,
		Balance: func(_ context.Context, pos game.Position) (float64, error) {
			return float64(gametest.Minimax(pos)), nil
		}}
	results, report := run(t, opts)
	s := report
	if s.BWins != 0 || s.AWins == 0 || s.AWins+s.Draws != 20 || s.Elo <= 0 || s.EloError <= 0 {
		t.Errorf("summary %+v, want no win of random", s)
	}
	for i, r := range results {
		if r.Game != i || r.Opening != 2 {
			t.Errorf("result %d is game %d with an opening of %d", i, r.Game, r.Opening)
		}
		if err := r.verify(opts.Start, opts.MaxPlies); err != nil {
			t.Errorf("game %d: %v", i, err)
		}
		if i%2 == 1 {
			first := results[i-1]
			if !slices.Equal(r.Moves[:2], first.Moves[:2]) || r.Players[0] != first.Players[1] ||
				r.Players[1] != first.Players[0] {
				t.Errorf("games %d and %d are no pair: %+v, %+v", i-1, i, first, r)
			}
		}
	}
}

// Both players play the lowest cell, which wins for the first player.
func TestColoursAreSwapped(t *testing.T) {
	results, report := run(t, options(5, entrant("a", firstMove), entrant("b", firstMove)))
	s := report
	want := Report{
		A: "a", B: "b", Games: 5, AWins: 3, BWins: 2, Pairs: [5]int{0, 0, 1, 0, 0}, SPRT: NoTest, FirstWins: 5, Repeats: 3,
	}
	if s.Elo != 0 || s.EloError <= 0 {
		t.Errorf("Elo %g +- %g", s.Elo, s.EloError)
	}
	if s = figures(s); !reflect.DeepEqual(s, want) {
		t.Errorf("summary %+v, want %+v", s, want)
	}
	for i, r := range results {
		if r.Outcome != game.FirstWins || r.Reason != game.Line || r.Players[0] != i%2 {
			t.Errorf("game %d: %+v", i, r)
		}
	}
}

func TestMoveLimit(t *testing.T) {
	opts := options(2, entrant("a", firstMove), entrant("b", firstMove))
	opts.MaxPlies = 4
	opts.Openings = OpeningList{{4}}
	results, _ := run(t, opts)
	for _, r := range results {
		if len(r.Moves) != 4 || r.Outcome != game.Draw || r.Reason != game.MoveLimit ||
			r.verify(opts.Start, opts.MaxPlies) != nil {
			t.Errorf("game %+v, want a draw after 4 moves", r)
		}
	}
}

func TestResultsDoNotDependOnWorkers(t *testing.T) {
	for _, test := range []*SPRT{nil, {Elo0: 0, Elo1: 150}} {
		var want []*Result
		var report Report
		for _, workers := range []int{1, 2, 7} {
			opts := options(120, entrant("greedy", greedy), entrant("random", drawn))
			opts.Openings = &RandomOpenings{Start: opts.Start, Plies: 1, Seed: 3, Tries: 200}
			opts.Workers, opts.SPRT = workers, test
			results, got := run(t, opts)
			if want == nil {
				want, report = results, got
			}
			if !reflect.DeepEqual(results, want) || !reflect.DeepEqual(figures(got), figures(report)) {
				t.Fatalf("%d workers: %+v, 1 worker: %+v", workers, figures(got), figures(report))
			}
		}
		stopped := len(want) < 120
		if stopped != (test != nil) || stopped != report.decided() || len(want)%2 != 0 {
			t.Errorf("test %+v: %d games, verdict %s", test, len(want), report.SPRT)
		}
		if test != nil && (report.SPRT != AcceptH1 || report.LLR < math.Log(19)) {
			t.Errorf("verdict %s at %g, want h1", report.SPRT, report.LLR)
		}
	}
}

// The first game ends last, so that all that follows waits for it.
func TestResultsComeInGameOrder(t *testing.T) {
	others := make(chan struct{}, 100)
	slow := func(ctx context.Context, s *scripted, pos game.Position, clock engine.Clock) (game.Move, error) {
		if s.start.Game == 0 && pos.Ply() == 0 {
			for range 5 {
				<-others
			}
		}
		return firstMove(ctx, s, pos, clock)
	}
	fast := func(ctx context.Context, s *scripted, pos game.Position, clock engine.Clock) (game.Move, error) {
		if pos.Ply() == 0 || pos.Ply() == 1 && s.start.Game%2 == 0 {
			others <- struct{}{}
		}
		return firstMove(ctx, s, pos, clock)
	}
	opts := options(10, entrant("slow", slow), entrant("fast", fast))
	opts.Workers = 2
	results, _ := run(t, opts)
	for i, r := range results {
		if r.Game != i {
			t.Fatalf("result %d is game %d", i, r.Game)
		}
	}
}

func TestErrorsEndTheMatch(t *testing.T) {
	failing := Entrant{Name: "b", New: func() (Player, error) { return nil, errBroken }}
	a, open, _ := counted(entrant("a", drawn))
	opts := options(40, a, failing)
	opts.Workers = 3
	_, report, err := tryRun(t.Context(), opts)
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "player b") || open.Load() != 0 {
		t.Errorf("error %v, %d players open", err, open.Load())
	}
	if report.Games != 0 {
		t.Errorf("report %+v", report)
	}

	opts = options(4, entrant("a", drawn), entrant("b", drawn))
	opts.Openings = OpeningList{{0}, {1, 1}}
	results, _, err := tryRun(t.Context(), opts)
	if err == nil || !strings.Contains(err.Error(), "pair 2: move 2 is illegal") || len(results) > 2 {
		t.Errorf("error %v after %d results", err, len(results))
	}

	opts = options(4, entrant("a", drawn), entrant("b", drawn))
	opts.Record = func(*Result, [2]string) error { return errBroken }
	if _, _, err = tryRun(t.Context(), opts); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want the recorder's", err)
	}
}

func TestEveryGameIsRecorded(t *testing.T) {
	var mu sync.Mutex
	seen := map[int]string{}
	opts := options(9, entrant("a", drawn), entrant("b", drawn))
	opts.Workers = 3
	opts.Record = func(r *Result, names [2]string) error {
		mu.Lock()
		defer mu.Unlock()
		seen[r.Game] += names[0] + names[1]
		return nil
	}
	run(t, opts)
	for g := range 9 {
		if want := []string{"ab", "ba"}[g%2]; seen[g] != want {
			t.Errorf("game %d was recorded as %q, want %q once", g, seen[g], want)
		}
	}
}

// figures returns what a report prints as numbers, but Elo.
func figures(r Report) Report {
	r.test, r.seen, r.Forfeited, r.Elo, r.EloError = nil, nil, nil, 0, 0
	r.open, r.stale = 0, false
	return r
}

// after returns the position of tic-tac-toe after moves.
func after(t *testing.T, moves ...game.Move) game.Position {
	t.Helper()
	pos := gametest.NewMNK(3, 3, 3)
	for _, m := range moves {
		if !pos.Legal(m) {
			t.Fatalf("move %d is illegal", m)
		}
		pos.Play(m)
	}
	return pos
}

// Where pairs have starts of their own, both games of one begin there, whatever the number
// of workers, and an error ends the match.
func TestPairsHaveStartsOfTheirOwn(t *testing.T) {
	opts := options(8, entrant("a", drawn), entrant("b", drawn))
	start := opts.Start
	opts.Starts = func(pair int) (game.Position, error) {
		pos := start.Clone()
		pos.Play(game.Move(pair))
		return pos, nil
	}
	opts.Openings = &RandomOpenings{Start: start, Starts: opts.Starts, Plies: 1, Seed: 3, Tries: 200}
	want, _ := run(t, opts)
	for _, r := range want {
		taken := game.Move(r.Game / 2)
		if slices.Contains(r.Moves, taken) {
			t.Errorf("game %d plays %d, which its start has", r.Game, taken)
		}
	}
	opts.Workers = 3
	if got, _ := run(t, opts); !reflect.DeepEqual(got, want) {
		t.Error("three workers play other games")
	}
	failure := errors.New("no cards")
	opts.Starts = func(int) (game.Position, error) { return nil, failure }
	if _, _, err := tryRun(t.Context(), opts); !errors.Is(err, failure) {
		t.Errorf("%v, want %v", err, failure)
	}
}
