package games

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/game/onitama/bitbase"
	"github.com/carozero/carozero/mcts"
)

// endgames returns endgames of three men, and the table that they are read from.
func endgames(t *testing.T) (Endgames, *bitbase.Table) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table")
	five, err := bitbase.ParseCards("Crab,Crane,Dragon,Monkey,Tiger")
	if err != nil {
		t.Fatal(err)
	}
	if err := bitbase.Build(t.Context(), path, five, 3, bitbase.Options{}); err != nil {
		t.Fatal(err)
	}
	e, err := onitamaGame.Endgames(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	table, err := bitbase.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(e.Close(), table.Close()); err != nil {
			t.Error(err)
		}
	})
	return e, table
}

// The solver of trees and that of the classical search find the wins of the table and
// no others, and leave positions as they are.
func TestEndgameSolvers(t *testing.T) {
	e, table := endgames(t)
	s := EndgameSolver(e)
	v, err := NewVariant(VariantOptions{Game: Onitama})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	won := func(b *onitama.Board) int {
		if value, plies, ok := table.Probe(b); ok && value == bitbase.Win && b.Outcome() == game.Undecided {
			return plies
		}
		return 0
	}
	wins, audited := 0, 0
	for range 300 {
		b := table.Random(rng)
		before := b.Key()
		plies := won(b)
		h, err := v.ClassicalBy(Evaluation{Endgames: e}).Bind(b)
		if err != nil {
			t.Fatal(err)
		}
		found := h.Solver.Solve(0, 1)
		leaf, root := s.Leaf(t.Context(), b), s.Root(t.Context(), b)
		if leaf.Plies != plies || leaf != root || found.Won != (plies > 0) || found.Won && (found.Move != leaf.Move || found.Plies != plies) {
			t.Fatalf("%+v, %+v, %+v; want a win in %d of\n%v", leaf, root, found, plies, b)
		}
		if plies > 0 {
			wins++
			if !b.Legal(leaf.Move) {
				t.Fatalf("%v is not legal in\n%v", leaf.Move, b)
			}
		}
		moves := b.Moves(nil)
		replies := make([]mcts.ForcedWin, len(moves))
		s.Refute(t.Context(), b, moves, replies)
		for i, m := range moves {
			b.Play(m)
			want := won(b)
			b.Undo()
			if audit := s.Audit(t.Context(), b, m); replies[i].Plies != want || audit != replies[i] {
				t.Fatalf("after %v %+v, %+v; want a win in %d of\n%v", m, replies[i], audit, want, b)
			}
		}
		if audited += 2 * len(moves); s.RootNodes() != audited {
			t.Fatalf("%d nodes; want %d", s.RootNodes(), audited)
		}
		if b.Key() != before || b.Ply() != 0 {
			t.Fatalf("the position was changed:\n%v", b)
		}
	}
	if wins < 50 {
		t.Errorf("%d wins among 300 positions", wins)
	}
}

// Positions with too many men suit, since men are taken; those with other cards do not.
func TestEndgamesSuit(t *testing.T) {
	e, _ := endgames(t)
	for text, suits := range map[string]bool{
		DefaultDeal: true, "Tiger,Crab/Monkey,Dragon/Crane": true, "Monkey,Crane/Tiger,Crab/Eel": false,
	} {
		b, err := onitama.ParsePosition(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Suits(b); (err == nil) != suits {
			t.Errorf("%s: %v", text, err)
		}
		if r, plies := e.Probe(b); r != mcts.Unknown || plies != 0 || e.Best(b) != game.NoMove || e.Covers(b) == nil {
			t.Errorf("%s: %v in %d", text, r, plies)
		}
	}
	other, err := NewVariant(VariantOptions{})
	if err != nil {
		t.Fatal(err)
	}
	start, err := other.Start()
	if err != nil {
		t.Fatal(err)
	}
	if r, _ := e.Probe(start); e.Suits(start) == nil || e.Covers(start) == nil || r != mcts.Unknown || e.Best(start) != game.NoMove {
		t.Error("a board of gomoku suits")
	}
	if _, err := other.OpenEndgames(t.Context(), "none"); !errors.Is(err, ErrNoEndgames) {
		t.Errorf("gomoku: %v", err)
	}
	if _, err := onitamaGame.Endgames(context.Background(), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there was opened")
	}
}

// A classical search with endgames claims a win as soon as it meets one, and the
// shortest one at the root.
func TestClassicalSearchWithEndgames(t *testing.T) {
	e, table := endgames(t)
	v, err := NewVariant(VariantOptions{Game: Onitama})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 6))
	s, err := alphabeta.New(v.ClassicalBy(Evaluation{Endgames: e}), alphabeta.Options{TableMiB: 1})
	if err != nil {
		t.Fatal(err)
	}
	var checked []int
	for len(checked) < 30 {
		b := table.Random(rng)
		value, plies, _ := table.Probe(b)
		if value != bitbase.Win || plies < 5 {
			continue
		}
		s.Clear()
		r, err := s.Search(t.Context(), b, alphabeta.Limits{Depth: 3})
		if err != nil {
			t.Fatal(err)
		}
		if r.Score != alphabeta.WinIn(plies) {
			t.Fatalf("score %v; want a win in %d of\n%v", r.Score, plies, b)
		}
		checked = append(checked, plies)
	}
	if slices.Max(checked) < 9 {
		t.Errorf("only wins in %v plies", checked)
	}
}
