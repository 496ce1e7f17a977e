package arena

import (
	"context"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"pgregory.net/rapid"
)

// ranked prefers its moves in a given order, legal or not.
type ranked struct {
	scripted
	order []game.Move
}

func (r *ranked) Ranked(buf []game.Move) []game.Move { return append(buf, r.order...) }

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
		inner := &ranked{order: rapid.Permutation(append([]game.Move{99}, legal...)).Draw(t, "order")}
		inner.move = func(context.Context, *scripted, game.Position, Clock) (game.Move, error) {
			asked = true
			return choice, nil
		}
		var player Player = inner
		order := inner.order
		if rapid.Bool().Draw(t, "without ranks") {
			player, order = &inner.scripted, legal
		}
		hash := pos.Hash()
		got, err := NewGuard(player).Move(t.Context(), pos, Clock{})
		if err != nil || pos.Hash() != hash {
			t.Fatalf("error %v, hash %x, was %x", err, pos.Hash(), hash)
		}
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
		inner := &ranked{order: c.order}
		inner.move = func(context.Context, *scripted, game.Position, Clock) (game.Move, error) { return c.choice, nil }
		if got, err := NewGuard(inner).Move(t.Context(), &pile{left: c.left}, Clock{}); got != c.want || err != nil {
			t.Errorf("%+v: played %d, %v", c, got, err)
		}
	}
}

func TestGuardPassesOn(t *testing.T) {
	closed, begun := false, false
	inner := &scripted{
		begin:  func(context.Context, Start) error { begun = true; return errBroken },
		move:   func(context.Context, *scripted, game.Position, Clock) (game.Move, error) { return 0, errBroken },
		closed: func() { closed = true },
	}
	g := NewGuard(inner)
	if err := g.NewGame(t.Context(), Start{}); err != errBroken || !begun {
		t.Errorf("NewGame: %v", err)
	}
	if _, err := g.Move(t.Context(), gametest.NewMNK(3, 3, 3), Clock{}); err != errBroken {
		t.Errorf("Move: %v", err)
	}
	if err := g.Close(); err != nil || !closed {
		t.Errorf("Close: %v", err)
	}
	inner.move = func(context.Context, *scripted, game.Position, Clock) (game.Move, error) { return 77, nil }
	if m, err := g.Move(t.Context(), gametest.NewMNK(3, 3, 3), Clock{}); m != 77 || err != nil {
		t.Errorf("an illegal move is not left to the referee: %d, %v", m, err)
	}
}
