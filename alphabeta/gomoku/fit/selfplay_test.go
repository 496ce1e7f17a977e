package fit

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

func lookup(tb testing.TB, rule string) gomoku.Rules {
	tb.Helper()
	r, err := gomoku.Lookup(rule)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// small are games by an engine that knows nothing, on a small board.
func small(tb testing.TB) Selfplay {
	nodes := int64(300)
	if testing.Short() {
		nodes = 40
	}
	return Selfplay{
		Rules: lookup(tb, "freestyle"), Size: 7, Engine: alphabeta.Plain{}, Nodes: nodes,
		Seed: 5, Games: 9, Least: 2, Most: 5,
	}
}

func collect(tb testing.TB, s Selfplay) (ids []int, games []Game) {
	tb.Helper()
	err := s.Play(context.Background(), func(id int, g Game) error {
		ids, games = append(ids, id), append(games, g)
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return ids, games
}

// Games follow the rules to their end, and differ.
func TestGamesArePlayedOut(t *testing.T) {
	rules := gomoku.Names()
	if testing.Short() {
		rules = rules[:1]
	}
	for _, rule := range rules {
		s := small(t)
		s.Rules, s.Games = lookup(t, rule), 3
		_, games := collect(t, s)
		for i, g := range games {
			pos, err := pattern.New(g.Rules, g.Size)
			if err != nil {
				t.Fatal(err)
			}
			if len(g.Scores) != len(g.Moves) {
				t.Fatalf("%s, game %d: %d scores of %d moves", rule, i, len(g.Scores), len(g.Moves))
			}
			for k, m := range g.Moves {
				if known := !math.IsNaN(g.Scores[k]); known != (k >= g.Opening) {
					t.Fatalf("%s, game %d: move %d after an opening of %d: score %v", rule, i, k, g.Opening, g.Scores[k])
				}
				if !pos.Legal(m) {
					t.Fatalf("%s, game %d: %d is illegal", rule, i, m)
				}
				pos.Play(m)
			}
			if pos.Outcome() == game.Undecided || pos.Outcome() != g.Outcome || pos.Reason() != g.Reason {
				t.Errorf("%s, game %d: %v by %q, the rules say %v by %q", rule, i, g.Outcome, g.Reason, pos.Outcome(), pos.Reason())
			}
			if i > 0 && slices.Equal(g.Moves, games[i-1].Moves) {
				t.Errorf("%s: games %d and %d are the same", rule, i-1, i)
			}
		}
	}
}

// A game depends on its number alone, and games are handed over in order.
func TestGamesDoNotDependOnWorkers(t *testing.T) {
	defer goleak.VerifyNone(t)
	s := small(t)
	ids, games := collect(t, s)
	for _, workers := range []int{2, 4, 20} {
		s.Workers = workers
		again, same := collect(t, s)
		if !slices.Equal(ids, again) {
			t.Fatalf("%d workers: order %v, want %v", workers, again, ids)
		}
		for i := range games {
			if !slices.Equal(games[i].Moves, same[i].Moves) {
				t.Errorf("%d workers: game %d differs", workers, i)
			}
		}
	}
	s.First, s.Games = 4, 2
	_, part := collect(t, s)
	if !slices.Equal(part[0].Moves, games[4].Moves) || !slices.Equal(part[1].Moves, games[5].Moves) {
		t.Error("games 4 and 5 differ when they are played alone")
	}
}

func TestPlayStops(t *testing.T) {
	defer goleak.VerifyNone(t)
	full := errors.New("full")
	s := small(t)
	s.Workers = 3
	err := s.Play(context.Background(), func(id int, _ Game) error {
		if id == 2 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) {
		t.Errorf("a game that is not taken: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = s.Play(ctx, func(int, Game) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	s.Engine = refusing{}
	if err = s.Play(context.Background(), func(int, Game) error { return nil }); !errors.Is(err, errRefused) {
		t.Errorf("an engine that fails: %v", err)
	}
}

var errRefused = errors.New("refused")

type refusing struct{ alphabeta.Plain }

func (refusing) Bind(game.Position) (alphabeta.Heuristics, error) {
	return alphabeta.Heuristics{}, errRefused
}

func TestSelfplayCheck(t *testing.T) {
	for name, change := range map[string]func(*Selfplay){
		"no nodes":         func(s *Selfplay) { s.Nodes = 0 },
		"no games":         func(s *Selfplay) { s.Games = 0 },
		"negative number":  func(s *Selfplay) { s.First = -1 },
		"negative opening": func(s *Selfplay) { s.Least = -1 },
		"empty range":      func(s *Selfplay) { s.Least = 6 },
		"long opening":     func(s *Selfplay) { s.Most = 25 },
		"size":             func(s *Selfplay) { s.Size = 4; s.Most = 2 },
	} {
		s := small(t)
		change(&s)
		if err := s.Play(context.Background(), nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
