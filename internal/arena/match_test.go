package arena

import (
	"context"
	"errors"
	"fmt"
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

func TestSchedule(t *testing.T) {
	for _, s := range []schedule{{2, 1}, {2, 2}, {2, 7}, {3, 4}, {4, 5}, {6, 1}} {
		games := map[[2]int]int{}   // by entrants, the lower first
		colours := map[[2]int]int{} // by entrants, first player first
		for number := range s.total() {
			f := s.at(number)
			a, b := s.pairing(f.pairing)
			if f.game != number || a >= b || b >= s.entrants {
				t.Fatalf("%+v, game %d: %+v, entrants %d, %d", s, number, f, a, b)
			}
			if want := [2]int{a, b}; !f.second && f.players != want || f.second && f.players != [2]int{b, a} {
				t.Errorf("%+v, game %d: players %v", s, number, f.players)
			}
			if f.second {
				if before := s.at(number - 1); before.second || before.pairing != f.pairing || before.round != f.round {
					t.Errorf("%+v: game %d is the second after %+v", s, number, before)
				}
			}
			if f.round != games[[2]int{a, b}]/2 {
				t.Errorf("%+v, game %d: round %d, want %d", s, number, f.round, games[[2]int{a, b}]/2)
			}
			games[[2]int{a, b}]++
			colours[f.players]++
		}
		for a := range s.entrants {
			for b := a + 1; b < s.entrants; b++ {
				if games[[2]int{a, b}] != s.games || colours[[2]int{b, a}] != s.games/2 {
					t.Errorf("%+v: %d and %d play %d games, %d with b first", s, a, b, games[[2]int{a, b}], colours[[2]int{b, a}])
				}
			}
		}
	}
}

func TestPerfectNeverLosesToRandom(t *testing.T) {
	opts := options(20, entrant("perfect", perfect), entrant("random", drawn))
	opts.Workers = 3
	opts.Openings = &RandomOpenings{Start: opts.Start, Plies: 2,
		Balance: func(_ context.Context, pos game.Position) (float64, error) {
			return float64(gametest.Minimax(pos)), nil
		}}
	results, report := run(t, opts)
	s := report.Summary()
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
	s := report.Summary()
	want := Summary{
		A: "a", B: "b", Games: 5, AWins: 3, BWins: 2, Pairs: [5]int{0, 0, 1, 0, 0}, SPRT: NoTest, FirstWins: 5, Repeats: 3,
	}
	s.Elo, want.EloError = math.Abs(math.Round(s.Elo)), s.EloError
	if s != want {
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
	for _, test := range []*SPRT{nil, {Elo0: 0, Elo1: 150, Alpha: 0.2, Beta: 0.2}} {
		var want []*Result
		var report Report
		for _, workers := range []int{1, 2, 7} {
			opts := options(120, entrant("greedy", greedy), entrant("random", drawn))
			opts.Openings = &RandomOpenings{Start: opts.Start, Plies: 1, Seed: 3}
			opts.Workers, opts.SPRT = workers, test
			results, got := run(t, opts)
			if want == nil {
				want, report = results, got
			}
			if !reflect.DeepEqual(results, want) || !reflect.DeepEqual(got.Summary(), report.Summary()) {
				t.Fatalf("%d workers: %+v, 1 worker: %+v", workers, got.Summary(), report.Summary())
			}
		}
		stopped := len(want) < 120
		if stopped != (test != nil) || stopped != report.decided() || len(want)%2 != 0 {
			t.Errorf("test %+v: %d games, verdict %s", test, len(want), report.Verdict)
		}
		if test != nil && (report.Verdict != AcceptH1 || report.LLR < math.Log(4)) {
			t.Errorf("verdict %s at %g, want h1", report.Verdict, report.LLR)
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

func TestRoundRobin(t *testing.T) {
	opts := options(6, entrant("random", drawn), entrant("perfect", perfect), entrant("greedy", greedy))
	opts.Workers = 2
	results, report := run(t, opts)
	if len(results) != 18 || len(report.Summaries()) != 3 {
		t.Fatalf("%d games, %d pairings", len(results), len(report.Summaries()))
	}
	for i, s := range report.Summaries() {
		names := [][2]string{{"random", "perfect"}, {"random", "greedy"}, {"perfect", "greedy"}}[i]
		if s.Games != 6 || s.A != names[0] || s.B != names[1] {
			t.Errorf("pairing %d: %+v", i, s)
		}
	}
	standings := report.Standings()
	points := 0.0
	for _, s := range standings {
		points += s.Points
		if s.Games != 12 {
			t.Errorf("%s played %d games", s.Name, s.Games)
		}
	}
	if standings[0].Name != "perfect" || points != 18 {
		t.Errorf("standings %+v", standings)
	}
}

func TestPlayersAreClosed(t *testing.T) {
	a, open, made := counted(entrant("a", drawn))
	b, openB, _ := counted(entrant("b", drawn))
	opts := options(40, a, b)
	opts.Workers = 4
	run(t, opts)
	if open.Load() != 0 || openB.Load() != 0 || made.Load() < 1 || made.Load() > 4 {
		t.Errorf("%d and %d players are open, %d were made", open.Load(), openB.Load(), made.Load())
	}
}

func TestErrorsEndTheMatch(t *testing.T) {
	failing := Entrant{Name: "b", New: func(context.Context) (Player, error) { return nil, errBroken }}
	a, open, _ := counted(entrant("a", drawn))
	opts := options(40, a, failing)
	opts.Workers = 3
	_, report, err := tryRun(t.Context(), opts)
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "player b") || open.Load() != 0 {
		t.Errorf("error %v, %d players open", err, open.Load())
	}
	if report.Summary().Games != 0 {
		t.Errorf("report %+v", report.Summary())
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

func TestGameSeedsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for g := range 500 {
		for side := range 2 {
			s := gameSeed(9, g, side)
			if other, twice := seen[s]; twice {
				t.Fatalf("game %d side %d has the seed of %s", g, side, other)
			}
			seen[s] = fmt.Sprintf("game %d side %d", g, side)
		}
	}
	if gameSeed(1, 0, 0) == gameSeed(2, 0, 0) {
		t.Error("the match's seed changes nothing")
	}
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
	opts.Openings = &RandomOpenings{Start: start, Starts: opts.Starts, Plies: 1, Seed: 3}
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
