package book

import (
	"context"
	"errors"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
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

// filledBook returns a book of positions after h8, and of their values for the
// side that moved there.
func filledBook(t *testing.T, fill func(w *Writer) error) *Book {
	t.Helper()
	b := newBook(t, 1)
	update(t, b, func(w *Writer) error {
		_, err := w.add(board(t, "caro", 15, "h8"), by)
		return errors.Join(err, fill(w))
	})
	return b
}

func valued(t *testing.T, w *Writer, moves string, value float64) error {
	return w.SetValue(board(t, "caro", 15, moves), Value{Source: Source{Engine: "e"}, Value: -value, Best: game.NoMove,
		Stamp: by})
}

// drawn returns how often each move is drawn, by the key of its position.
func drawn(t *testing.T, e engine.Engine, draws int) map[string]int {
	t.Helper()
	count := map[string]int{}
	for seed := range draws {
		pos := board(t, "caro", 15, "h8")
		a, err := e.Think(ctx, pos, engine.Limits{Seed: uint64(seed)})
		if err != nil {
			t.Fatal(err)
		}
		if a.Book == "" {
			count[""]++
			continue
		}
		pos.Play(a.Move)
		count[Key(pos)]++
	}
	return count
}

func key(t *testing.T, moves string) string { return Key(board(t, "caro", 15, moves)) }

// Moves near the best are drawn evenly, worse and excluded ones never; the same
// seed draws the same.
func TestChoice(t *testing.T) {
	b := filledBook(t, func(w *Writer) error {
		_, err := w.add(board(t, "caro", 15, "h8a1"), by) // nothing is known of it
		return errors.Join(err,
			valued(t, w, "h8i9", 0.20), valued(t, w, "h8h9", 0.18), valued(t, w, "h8h10", 0.05),
			valued(t, w, "h8i10", 0.9), w.SetLabel(board(t, "caro", 15, "h8i10"), Excluded, by))
	})
	s := &silent{}
	e := b.Before(s)
	got := drawn(t, e, 400)
	// Four images of each move are in the book.
	if got[key(t, "h8i9")]+got[key(t, "h8h9")] != 400 || got[key(t, "h8h9")] < 150 || got[key(t, "h8h9")] > 250 {
		t.Errorf("%v", got)
	}
	if s.thought != 0 {
		t.Errorf("%d thought", s.thought)
	}
	for seed := range uint64(20) {
		one, err := e.Think(ctx, board(t, "caro", 15, "h8"), engine.Limits{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		two, err := e.Think(ctx, board(t, "caro", 15, "h8"), engine.Limits{Seed: seed})
		if err != nil || one.Move != two.Move || one.Value < 0.17 {
			t.Errorf("seed %d: %+v and %+v, %v", seed, one, two, err)
		}
	}
	e.Ponder(ctx, board(t, "caro", 15, "h8i9"))
	if s.pondered != 0 {
		t.Error("the engine ponders on what it has not thought about")
	}
	if a, err := e.Think(ctx, board(t, "caro", 15, "a1"), engine.Limits{}); err != nil || a.Book != "" || s.thought != 1 {
		t.Errorf("out of the book: %+v, %v", a, err)
	}
	e.Ponder(ctx, board(t, "caro", 15, "a1o15"))
	if a, err := e.Think(ctx, board(t, "caro", 15, "h8"), engine.Limits{Restrict: &engine.Restriction{}}); err != nil ||
		a.Book != "" || s.pondered != 1 {
		t.Errorf("with a restriction: %+v, %v", a, err)
	}
}

func TestForcedAndLost(t *testing.T) {
	forced := filledBook(t, func(w *Writer) error {
		return errors.Join(valued(t, w, "h8i9", 0.5), w.SetLabel(board(t, "caro", 15, "h8h9"), Forced, by))
	})
	if got := drawn(t, forced.Before(&silent{}), 20); got[key(t, "h8h9")] != 20 {
		t.Errorf("forced: %v", got)
	}
	lost := filledBook(t, func(w *Writer) error { return w.SetLabel(board(t, "caro", 15, "h8i9"), Win, by) })
	if got := drawn(t, lost.Before(&silent{}), 5); got[""] != 5 {
		t.Errorf("lost: %v", got)
	}
}

// Moves are in the book if the positions after them are, also where the position itself is
// not: forced ones are played, others if they are not behind.
func TestMovesAlone(t *testing.T) {
	b := filledBook(t, func(w *Writer) error {
		return errors.Join(w.SetLabel(board(t, "caro", 15, "h8i9a1"), Forced, by), valued(t, w, "h8h9j10", -0.2),
			valued(t, w, "h8i10j11", 0.2), w.SetLabel(board(t, "caro", 15, "h8j10a1"), Excluded, by))
	})
	e := b.Before(&silent{})
	for moves, want := range map[string]string{"h8i9": "h8i9a1", "h8h9": "", "h8i10": "h8i10j11", "h8j10": ""} {
		pos := board(t, "caro", 15, moves)
		a, err := e.Think(ctx, pos, engine.Limits{})
		if err != nil || (a.Book != "") != (want != "") {
			t.Errorf("%s: %+v, %v", moves, a, err)
			continue
		}
		if pos.Play(a.Move); want != "" && Key(pos) != key(t, want) {
			t.Errorf("%s: the move %d, want %s", moves, a.Move, want)
		}
	}
}
