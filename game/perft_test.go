package game_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
)

// The counts of tic-tac-toe sequences are well known: 9!/(9-d)! less those
// that go on after a win.
var ticTacToe = []uint64{1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0}

func TestTicTacToe(t *testing.T) {
	p := gametest.NewMNK(3, 3, 3)
	for depth, n := range ticTacToe {
		if got := game.CountLeaves(p, depth); got != n {
			t.Errorf("depth %d: %d sequences, want %d", depth, got, n)
		}
		if depth == 0 {
			continue
		}
		r, err := game.Perft(t.Context(), p, depth, game.PerftOptions{})
		if err != nil || r.Leaves != n || len(r.Branches) != 9 {
			t.Errorf("divide %d: %d sequences behind %d moves, %v; want %d behind 9", depth, r.Leaves, len(r.Branches), err, n)
		}
	}
	if p.Ply() != 0 || p.Hash() != 0 {
		t.Error("the position is not as before")
	}
}

// Each branch is the count behind its move, and what was played is what a walk
// without the short cut at the last ply plays but for that ply.
func TestDivide(t *testing.T) {
	const depth = 4
	p := gametest.NewMNK(3, 3, 3)
	tick := time.Time{}
	shown := 0
	r, err := game.Perft(t.Context(), p, depth, game.PerftOptions{
		Branch: func(game.PerftBranch) { shown++ },
		Clock:  func() time.Time { tick = tick.Add(time.Second); return tick },
	})
	if err != nil || shown != 9 || r.Elapsed != time.Second {
		t.Fatalf("%d branches shown in %v, %v", shown, r.Elapsed, err)
	}
	for i, m := range p.Moves(nil) {
		p.Play(m)
		if want := walk(p, depth-1); r.Branches[i] != (game.PerftBranch{Move: m, Leaves: want}) {
			t.Errorf("branch %+v, want %d behind %d", r.Branches[i], want, m)
		}
		p.Undo()
	}
	if want := ticTacToe[1] + ticTacToe[2] + ticTacToe[3]; r.Nodes != want {
		t.Errorf("%d nodes, want %d", r.Nodes, want)
	}
}

// walk counts the plainest way: it plays every move.
func walk(p game.Position, depth int) (n uint64) {
	if depth == 0 {
		return 1
	}
	for _, m := range p.Moves(nil) {
		p.Play(m)
		n += walk(p, depth-1)
		p.Undo()
	}
	return n
}

func TestACountEndsWithTheContext(t *testing.T) {
	p := gametest.NewMNK(4, 4, 4)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := game.Perft(ctx, p, game.MaxPerft,
		game.PerftOptions{Clock: func() time.Time { cancel(); return time.Time{} }})
	if !errors.Is(err, context.Canceled) || r.Nodes == 0 || r.Nodes > 100_000 {
		t.Errorf("%v after %d nodes", err, r.Nodes)
	}
	if p.Ply() != 0 || p.Hash() != 0 {
		t.Error("the position is not as before")
	}
}
