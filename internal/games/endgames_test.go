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
	"github.com/carozero/carozero/nn"
)

// endgames returns endgames of three men, and the table that they are read from.
func endgames(t *testing.T) (Endgames, *bitbase.Table) { return endgamesOf(t, 3) }

// endgamesOf returns endgames of so many men, and their table.
func endgamesOf(t *testing.T, men int) (Endgames, *bitbase.Table) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table")
	five, err := bitbase.ParseCards("Crab,Crane,Dragon,Monkey,Tiger")
	if err != nil {
		t.Fatal(err)
	}
	if err := bitbase.Build(t.Context(), path, five, men, bitbase.Options{}); err != nil {
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

// Endgames of four men, the fewest that have draws, are known exactly.
func TestEndgamesOfFourMen(t *testing.T) {
	e, table := endgamesOf(t, 4)
	draws := sample(t, table, 1, 25, game.Drawn)
	ended := 0 // a search for who wins claims nobody
	for _, b := range draws {
		d, err := onitamaVariant{}.Decider(ProofOptions{TableBytes: 32 << 20}).Solve(t.Context(), b, 200_000)
		if err != nil || d.Outcome != game.Undecided || d.Ended && d.Nodes >= 200_000 {
			t.Errorf("%v: a draw is decided as %+v:\n%v", err, d, b)
		}
		if d.Ended {
			ended++
		}
	}
	if ended == 0 {
		t.Error("no search of a draw ends before its budget")
	}
	t.Run("seams", func(t *testing.T) { endgameSeams(t, e, table, draws) })
	t.Run("searches", func(t *testing.T) { searchesEqualTheTable(t, e, table, draws) })
	t.Run("twin", func(t *testing.T) { classicalSearchEqualsATwin(t, table) })
}

// expected returns what a table says of a position that is not over, as both seams do.
func expected(table *bitbase.Table, b *onitama.Board) (proof mcts.Solution, score alphabeta.Score, ok bool) {
	value, plies, ok := table.Probe(b)
	if !ok {
		return mcts.Solution{}, 0, false
	}
	switch value {
	case game.Won:
		m, _ := table.Best(b)
		return mcts.Solution{Proof: game.Won, Move: m, Plies: plies}, alphabeta.WinIn(plies), true
	case game.Lost:
		return mcts.Solution{Proof: game.Lost, Move: game.NoMove, Plies: plies}, alphabeta.LossIn(plies), true
	}
	return mcts.Solution{Proof: game.Drawn, Move: game.NoMove, Plies: mcts.Endless}, 0, true
}

// sample returns positions of a table at random, so many of each value.
func sample(t *testing.T, table *bitbase.Table, seed uint64, each int, values ...game.Result) []*onitama.Board {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	var list []*onitama.Board
	found := map[game.Result]int{}
	for len(list) < each*len(values) {
		b := table.Random(rng)
		value, _, ok := table.Probe(b)
		if !ok {
			t.Fatal(table.Err())
		}
		if slices.Contains(values, value) && found[value] < each {
			found[value]++
			list = append(list, b)
		}
	}
	return list
}

// The solver of trees and what the classical search asks say of a position, and of those
// after its moves, what the table says, and leave the position as it is.
func endgameSeams(t *testing.T, e Endgames, table *bitbase.Table, draws []*onitama.Board) {
	s := EndgameSolver(e)
	v := variant(t, VariantOptions{Game: Onitama})
	audited := 0
	for _, b := range append(sample(t, table, 3, 30, game.Won, game.Lost), draws...) {
		before := b.Key()
		want, score, _ := expected(table, b)
		h, err := v.ClassicalBy(Evaluation{Endgames: e}).Bind(b)
		if err != nil {
			t.Fatal(err)
		}
		worth, ok := h.Endgames.Probe()
		if leaf, root := s.Leaf(t.Context(), b), s.Root(t.Context(), b); leaf != want || root != want || !ok ||
			worth != score {
			t.Fatalf("%+v, %+v, %v; want %+v, %v of\n%v", leaf, root, worth, want, score, b)
		}
		if m, _ := table.Best(b); h.Endgames.Best() != m || !b.Legal(m) {
			t.Fatalf("%v is not the best move %v of\n%v", h.Endgames.Best(), m, b)
		}
		moves := b.Moves(nil)
		after := make([]mcts.Solution, len(moves))
		s.Refute(t.Context(), b, moves, after)
		for i, m := range moves {
			b.Play(m)
			want := mcts.Solution{}
			if b.Outcome() == game.Undecided {
				want, _, _ = expected(table, b)
			}
			b.Undo()
			if audit := s.Audit(t.Context(), b, m); after[i] != want || audit != want {
				t.Fatalf("after %v %+v, %+v; want %+v in\n%v", m, after[i], audit, want, b)
			}
		}
		if audited += 2 * len(moves); s.RootNodes() != audited {
			t.Fatalf("%d nodes; want %d", s.RootNodes(), audited)
		}
		if b.Key() != before || b.Ply() != 0 {
			t.Fatalf("the position was changed:\n%v", b)
		}
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
		if r, plies := e.Probe(b); r != game.Unproven || plies != 0 || e.Best(b) != game.NoMove || e.Covers(b) == nil {
			t.Errorf("%s: %v in %d", text, r, plies)
		}
	}
	other := variant(t, VariantOptions{})
	start := parse(t, other, "")
	if e.Suits(start) == nil || e.Covers(start) == nil {
		t.Error("a board of gomoku suits")
	}
	if _, err := other.OpenEndgames(t.Context(), "none"); !errors.Is(err, ErrNoEndgames) {
		t.Errorf("gomoku: %v", err)
	}
	if _, err := onitamaGame.Endgames(context.Background(), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there was opened")
	}
}

// Both searches answer what the table has at every position of it, with a move that
// comes to that, and alike when they are asked again.
func searchesEqualTheTable(t *testing.T, e Endgames, table *bitbase.Table, draws []*onitama.Board) {
	v := variant(t, VariantOptions{Game: Onitama})
	s, err := alphabeta.New(v.ClassicalBy(Evaluation{Endgames: e}), alphabeta.Options{TableMiB: 1})
	if err != nil {
		t.Fatal(err)
	}
	tree := mcts.New(mcts.Options{}, nn.NewUniform(4), EndgameSolver(e))
	for _, b := range append(sample(t, table, 5, 60, game.Won, game.Lost), draws...) {
		want, score, _ := expected(table, b)
		check := func(who string, m game.Move) {
			b.Play(m)
			value, plies, _ := table.Probe(b)
			b.Undo()
			if value != want.Proof.Flip() || value != game.Drawn && plies != want.Plies-1 {
				t.Fatalf("%s plays %v: %v in %d; want %+v of\n%v", who, m, value, plies, want, b)
			}
		}
		var first alphabeta.Result
		for again := range 2 {
			s.Clear()
			r, err := s.Search(t.Context(), b, alphabeta.Limits{Depth: 3})
			if err != nil {
				t.Fatal(err)
			}
			if r.Score != score {
				t.Fatalf("score %v; want %v of\n%v", r.Score, score, b)
			}
			if plies, ok := r.Score.Claim(); ok && len(r.Lines[0].Moves) != plies {
				t.Fatalf("a line of %d moves: %v of\n%v", len(r.Lines[0].Moves), r.Score, b)
			}
			check("alpha-beta", r.Move)
			if again == 0 {
				first = r
			} else if r.Move != first.Move || r.Stats != first.Stats {
				t.Fatalf("%v, %+v; at first %v, %+v", r.Move, r.Stats, first.Move, first.Stats)
			}
		}
		var r mcts.Result
		if err := errors.Join(tree.SetPosition(b), tree.Search(t.Context(), mcts.Limits{Playouts: 50})); err != nil {
			t.Fatal(err)
		}
		if tree.Result(&r); r.Proven != want.Proof || r.ProofPlies != want.Plies || r.Playouts > 1 {
			t.Fatalf("the tree has %v in %d after %d playouts; want %+v of\n%v", r.Proven, r.ProofPlies, r.Playouts, want, b)
		}
		check("the tree", r.Move)
	}
}

// A twin without window, table or order finds the scores of the search in positions with
// more men than the endgames have, where captures lead into them.
func classicalSearchEqualsATwin(t *testing.T, four *bitbase.Table) {
	e, _ := endgames(t)
	g := withEndgames{alphabeta.Plain{}, e}
	s, err := alphabeta.New(g, alphabeta.Options{TableMiB: 1}.Exhaustive())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	scores := map[string]int{}
	for range 60 {
		b := four.Random(rng)
		if r, _ := e.Probe(b); r != game.Unproven {
			continue
		}
		for depth := 1; depth <= 3; depth++ {
			s.Clear()
			r, err := s.Search(t.Context(), b, alphabeta.Limits{Depth: depth})
			if err != nil {
				t.Fatal(err)
			}
			want := twin(e, b, depth, 0)
			if plies, ok := want.Claim(); r.Score != want && (!ok || r.Depth >= depth || plies > r.Depth) {
				t.Fatalf("%v at depth %d; want %v of\n%v", r.Score, depth, want, b)
			}
			if plies, ok := want.Claim(); ok && plies > depth {
				scores["known"]++
			}
		}
	}
	if scores["known"] < 20 {
		t.Errorf("%v: hardly a position was decided by the endgames", scores)
	}
}

// twin is minimax with endgames.
func twin(e Endgames, b *onitama.Board, depth, ply int) alphabeta.Score {
	switch {
	case b.Outcome() != game.Undecided:
		return alphabeta.LossIn(ply)
	case ply > 0 && len(b.Wins(nil)) > 0:
		return alphabeta.WinIn(ply + 1)
	}
	if result, plies := e.Probe(b); ply > 0 && result != game.Unproven {
		return map[game.Result]alphabeta.Score{game.Won: alphabeta.WinIn(ply + plies),
			game.Lost: alphabeta.LossIn(ply + plies), game.Drawn: 0}[result]
	}
	if depth == 0 {
		return 0
	}
	best := -alphabeta.Win
	for _, m := range b.Moves(nil) {
		b.Play(m)
		best = max(best, -twin(e, b, depth-1, ply+1))
		b.Undo()
	}
	return best
}
