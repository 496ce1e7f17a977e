package bookplay

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
)

// silent is an engine that plays the last move and counts what it is asked.
type silent struct{ thought, pondered, forgot int }

func (s *silent) Think(_ context.Context, pos game.Position, _ engine.Limits) (*engine.Answer, error) {
	s.thought++
	moves := pos.Moves(nil)
	return &engine.Answer{Move: moves[len(moves)-1]}, nil
}
func (s *silent) Ponder(context.Context, game.Position) { s.pondered++ }
func (s *silent) Forget()                               { s.forgot++ }
func (s *silent) Close() error                          { return nil }

var (
	ctx = context.Background()
	by  = book.Stamp{Author: "t", Time: time.Unix(1e9, 0)}
)

func at(t *testing.T, rule, moves string) *gomoku.Board {
	t.Helper()
	r, err := gomoku.Lookup(rule)
	if err != nil {
		t.Fatal(err)
	}
	b, err := gomoku.ParsePosition(r, 15, moves)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// newBook returns a book of positions after h8, and of their values or results for the
// side that moved there.
func newBook(t *testing.T, fill func(w *book.Writer) error) *book.Book {
	t.Helper()
	b, err := book.Create(filepath.Join(t.TempDir(), "b.book"), rand.NewChaCha8([32]byte{1}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	if err := b.Update(ctx, func(w *book.Writer) error {
		if _, err := w.Add(at(t, "caro", "h8"), by); err != nil {
			return err
		}
		return fill(w)
	}); err != nil {
		t.Fatal(err)
	}
	return b
}

func worth(t *testing.T, w *book.Writer, moves string, value float64) error {
	return w.SetValue(at(t, "caro", moves), book.Value{Source: book.Source{Engine: "e"}, Value: -value, Best: game.NoMove, Stamp: by})
}

// played returns how often each move is drawn, by the key of its position.
func played(t *testing.T, e *Engine, draws int) map[string]int {
	t.Helper()
	count := map[string]int{}
	for seed := range draws {
		pos := at(t, "caro", "h8")
		a, err := e.Think(ctx, pos, engine.Limits{Seed: uint64(seed)})
		if err != nil {
			t.Fatal(err)
		}
		if a.Book == "" {
			count[""]++
			continue
		}
		pos.Play(a.Move)
		count[book.Key(pos)]++
	}
	return count
}

func key(t *testing.T, moves string) string { return book.Key(at(t, "caro", moves)) }

// Moves near the best are drawn by their games, worse and excluded ones never; the same
// seed draws the same.
func TestChoice(t *testing.T) {
	b := newBook(t, func(w *book.Writer) error {
		for _, err := range []error{
			worth(t, w, "h8i9", 0.20), worth(t, w, "h8h9", 0.18), worth(t, w, "h8h10", 0.05), worth(t, w, "h8i10", 0.9),
			w.SetLabel(at(t, "caro", "h8i10"), book.Excluded, by),
		} {
			if err != nil {
				return err
			}
		}
		for range 9 {
			if err := w.AddResult(at(t, "caro", "h8i9"), "g", game.Draw, by); err != nil {
				return err
			}
		}
		_, err := w.Add(at(t, "caro", "h8a1"), by) // nothing is known of it
		return err
	})
	var stats Stats
	s := &silent{}
	e := New(s, b, Options{}, &stats)
	got := played(t, e, 400)
	// Four images of each move are in the book, so that weights are 4*10 and 4*1.
	if got[key(t, "h8i9")]+got[key(t, "h8h9")] != 400 || got[key(t, "h8h9")] < 10 || got[key(t, "h8h9")] > 80 {
		t.Errorf("%v", got)
	}
	if asked, answered := stats.Counts(); asked != 400 || answered != 400 || s.thought != 0 {
		t.Errorf("%d asked, %d answered, %d thought", asked, answered, s.thought)
	}
	for seed := range uint64(20) {
		one, err := e.Think(ctx, at(t, "caro", "h8"), engine.Limits{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		two, err := e.Think(ctx, at(t, "caro", "h8"), engine.Limits{Seed: seed})
		if err != nil || one.Move != two.Move || one.Value < 0.17 {
			t.Errorf("seed %d: %+v and %+v, %v", seed, one, two, err)
		}
	}
	e.Ponder(ctx, at(t, "caro", "h8i9"))
	if s.pondered != 0 {
		t.Error("the engine ponders on what it has not thought about")
	}
	if a, err := e.Think(ctx, at(t, "caro", "a1"), engine.Limits{}); err != nil || a.Book != "" || s.thought != 1 {
		t.Errorf("out of the book: %+v, %v", a, err)
	}
	e.Ponder(ctx, at(t, "caro", "a1o15"))
	if a, err := e.Think(ctx, at(t, "caro", "h8"), engine.Limits{Restrict: &engine.Restriction{}}); err != nil || a.Book != "" || s.pondered != 1 {
		t.Errorf("with a restriction: %+v, %v", a, err)
	}
}

func TestForcedAndLost(t *testing.T) {
	forced := newBook(t, func(w *book.Writer) error {
		if err := worth(t, w, "h8i9", 0.5); err != nil {
			return err
		}
		return w.SetLabel(at(t, "caro", "h8h9"), book.Forced, by)
	})
	if got := played(t, New(&silent{}, forced, Options{}, &Stats{}), 20); got[key(t, "h8h9")] != 20 {
		t.Errorf("forced: %v", got)
	}
	lost := newBook(t, func(w *book.Writer) error { return w.SetLabel(at(t, "caro", "h8i9"), book.Win, by) })
	if got := played(t, New(&silent{}, lost, Options{}, &Stats{}), 5); got[""] != 5 {
		t.Errorf("lost: %v", got)
	}
	few := newBook(t, func(w *book.Writer) error {
		for range defaultMinGames {
			if err := w.AddResult(at(t, "caro", "h8h9"), "g", game.SecondWins, by); err != nil {
				return err
			}
		}
		return w.AddResult(at(t, "caro", "h8i9"), "g", game.SecondWins, by)
	})
	if got := played(t, New(&silent{}, few, Options{}, &Stats{}), 20); got[key(t, "h8h9")] != 20 {
		t.Errorf("by results: %v", got)
	}
}

// Moves are in the book if the positions after them are, also where the position itself is
// not: forced ones are played, others if they are not behind.
func TestMovesAlone(t *testing.T) {
	b := newBook(t, func(w *book.Writer) error {
		for _, err := range []error{
			w.SetLabel(at(t, "caro", "h8i9a1"), book.Forced, by),
			worth(t, w, "h8h9j10", -0.2), worth(t, w, "h8i10j11", 0.2), w.SetLabel(at(t, "caro", "h8j10a1"), book.Excluded, by),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	e := New(&silent{}, b, Options{}, &Stats{})
	for moves, want := range map[string]string{"h8i9": "h8i9a1", "h8h9": "", "h8i10": "h8i10j11", "h8j10": ""} {
		pos := at(t, "caro", moves)
		a, err := e.Think(ctx, pos, engine.Limits{})
		if err != nil || (a.Book != "") != (want != "") {
			t.Errorf("%s: %+v, %v", moves, a, err)
			continue
		}
		if pos.Play(a.Move); want != "" && book.Key(pos) != key(t, want) {
			t.Errorf("%s: the move %d, want %s", moves, a.Move, want)
		}
	}
}

func TestOtherRules(t *testing.T) {
	b := newBook(t, func(*book.Writer) error { return nil })
	if _, err := New(&silent{}, b, Options{}, &Stats{}).Think(ctx, at(t, "renju", "h8"), engine.Limits{}); err == nil {
		t.Error("a book of other rules was asked")
	}
}

// asked takes note of the limits that it gets.
type asked struct {
	silent
	limits engine.Limits
}

func (a *asked) Think(_ context.Context, _ game.Position, l engine.Limits) (*engine.Answer, error) {
	a.limits = l
	return &engine.Answer{}, nil
}

// On an empty board, of any size and under the opening rule too, only the centre is searched,
// and shortly; everywhere else the limits stay what they are.
func TestCentre(t *testing.T) {
	for _, c := range []struct {
		o      games.VariantOptions
		moves  string
		limits engine.Limits
		want   string // the only move that is not barred; "": none is barred
	}{
		{games.VariantOptions{Rule: "caro", Size: 15}, "", engine.Limits{Nodes: 800}, "h8"},
		{games.VariantOptions{Rule: "caro", Size: 15}, "", engine.Limits{Nodes: 7}, "h8"},
		{games.VariantOptions{Rule: "caro", Size: 15, OpenRule: true}, "", engine.Limits{}, "h8"},
		{games.VariantOptions{Rule: "renju", Size: 15}, "", engine.Limits{Visits: 900}, "h8"},
		{games.VariantOptions{Rule: "caro", Size: 20}, "", engine.Limits{}, "k11"},
		{games.VariantOptions{Rule: "caro", Size: 15}, "h8", engine.Limits{Nodes: 800}, ""},
		{games.VariantOptions{Rule: "caro", Size: 15}, "", engine.Limits{Nodes: 800, Lines: 3}, ""},
		{games.VariantOptions{Game: "onitama"}, "", engine.Limits{Nodes: 800}, ""},
	} {
		v, err := games.NewVariant(c.o)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := v.Parse(c.moves)
		if err != nil {
			t.Fatal(err)
		}
		inner := &asked{}
		if _, err := NewCentre(inner, v).Think(t.Context(), pos, c.limits); err != nil {
			t.Fatal(err)
		}
		l := inner.limits
		if c.want == "" {
			if l.Restrict != nil || l.Nodes != c.limits.Nodes {
				t.Errorf("%v after %q: limits %+v", v, c.moves, l)
			}
			continue
		}
		var free []string
		for _, m := range pos.Moves(nil) {
			if !l.Restrict.Barred(0, game.First, m) {
				free = append(free, v.Notation().FormatMove(m))
			}
		}
		if len(free) != 1 || free[0] != c.want || l.Restrict.Plies != 1 || l.Nodes <= 0 || l.Nodes > centreNodes || c.limits.Nodes > 0 && l.Nodes > c.limits.Nodes {
			t.Errorf("%v: %v are searched with %d nodes, want %s", v, free, l.Nodes, c.want)
		}
	}
}
