package arena

import (
	"context"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/engine"
	"pgregory.net/rapid"
)

// winsAfter returns whether the side to move after m can win at once.
func winsAfter(pos game.Position, m game.Move) bool {
	pos.Play(m)
	defer pos.Undo()
	for _, reply := range pos.Moves(nil) {
		side := pos.ToMove()
		pos.Play(reply)
		won := pos.Outcome() == game.WinFor(side)
		pos.Undo()
		if won {
			return true
		}
	}
	return false
}

func TestGuard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pos := game.Position(gametest.NewMNK(4, 4, 3))
		for range rapid.IntRange(0, 10).Draw(t, "plies") {
			m := rapid.SampledFrom(pos.Moves(nil)).Draw(t, "move")
			pos.Play(m)
			if pos.Outcome() != game.Undecided {
				pos.Undo()
				break
			}
		}
		legal := pos.Moves(nil)
		choice := rapid.SampledFrom(legal).Draw(t, "choice")
		asked := false
		inner := &scripted{order: rapid.Permutation(append([]game.Move{99}, legal...)).Draw(t, "order")}
		inner.move = func(context.Context, *scripted, game.Position, engine.Clock) (game.Move, error) {
			asked = true
			return choice, nil
		}
		order := inner.order
		if rapid.Bool().Draw(t, "without opinions") {
			inner.order, order = nil, legal
		}
		hash := pos.Hash()
		a, err := NewGuard(inner).Think(t.Context(), pos, engine.Limits{})
		if err != nil || pos.Hash() != hash {
			t.Fatalf("error %v, hash %x, was %x", err, pos.Hash(), hash)
		}
		got := a.Move
		want := choice
		if wins := pos.Wins(nil); len(wins) > 0 {
			if got != wins[0] || asked {
				t.Fatalf("played %d, want the win %d", got, wins[0])
			}
			return
		}
		if winsAfter(pos, choice) {
			safe := slices.IndexFunc(order, func(m game.Move) bool { return pos.Legal(m) && !winsAfter(pos, m) })
			if safe >= 0 {
				want = order[safe]
			}
		}
		if got != want {
			t.Fatalf("played %d instead of %d, want %d", got, choice, want)
		}
	})
}

func TestGuardFollowsTheInnerPlayersOrder(t *testing.T) {
	for _, c := range []struct {
		left   int
		choice game.Move
		order  []game.Move
		want   game.Move
	}{
		{6, 2, []game.Move{2, 1, 0}, 1},
		{6, 2, []game.Move{0, 1, 2}, 0},
		{6, 2, nil, 0},
		{6, 2, []game.Move{2, 9}, 0},
		{6, 1, []game.Move{0}, 1},
		{5, 2, []game.Move{1, 2}, 0},
		{4, 2, []game.Move{1, 0}, 2},
		{3, 0, nil, 2},
	} {
		inner := &scripted{order: c.order}
		inner.move = func(context.Context, *scripted, game.Position, engine.Clock) (game.Move, error) { return c.choice, nil }
		if got, err := NewGuard(inner).Think(t.Context(), &pile{left: c.left}, engine.Limits{}); err != nil || got.Move != c.want {
			t.Errorf("%+v: played %+v, %v", c, got, err)
		}
	}
}

func TestGuardPassesOn(t *testing.T) {
	closed, begun := false, false
	inner := &scripted{
		begin:  func(context.Context, Start) error { begun = true; return errBroken },
		move:   func(context.Context, *scripted, game.Position, engine.Clock) (game.Move, error) { return 0, errBroken },
		closed: func() { closed = true },
	}
	g := NewGuard(inner)
	if err := g.NewGame(t.Context(), Start{}); err != errBroken || !begun {
		t.Errorf("NewGame: %v", err)
	}
	if _, err := g.Think(t.Context(), gametest.NewMNK(3, 3, 3), engine.Limits{}); err != errBroken {
		t.Errorf("Think: %v", err)
	}
	if err := g.Close(); err != nil || !closed {
		t.Errorf("Close: %v", err)
	}
	inner.move = func(context.Context, *scripted, game.Position, engine.Clock) (game.Move, error) { return 77, nil }
	if a, err := g.Think(t.Context(), gametest.NewMNK(3, 3, 3), engine.Limits{}); err != nil || a.Move != 77 {
		t.Errorf("an illegal move is not left to the referee: %+v, %v", a, err)
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
