package gomoku

import (
	"context"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// endgame returns a position of a small board with that many empty cells or a
// few more, in which nobody can win at once.
func endgame(tb testing.TB, r rules.Rules, empty int, rng *rand.Rand) *pattern.Board {
	size := 5 + rng.IntN(2)
	for {
		b, err := pattern.New(r, size)
		if err != nil {
			tb.Fatal(err)
		}
		for range 3 * size * size {
			if b.MaxMoves()-b.Stones().Len() <= empty {
				break
			}
			moves := b.Moves(nil)
			b.Play(moves[rng.IntN(len(moves))])
			if b.Outcome() != game.Undecided || len(b.Wins(nil)) > 0 {
				b.Undo()
			}
		}
		if b.MaxMoves()-b.Stones().Len() <= empty+2 {
			return b
		}
	}
}

// search searches b to a depth with nothing but alpha-beta.
func search(tb testing.TB, b game.Position, o alphabeta.Options, depth int) alphabeta.Result {
	tb.Helper()
	s, err := alphabeta.New(Game{}, o)
	if err != nil {
		tb.Fatal(err)
	}
	r, err := s.Search(context.Background(), b, alphabeta.Limits{Depth: depth})
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// minimax is the plain twin of an exhaustive search without a solver, over the
// same moves.
func minimax(heuristics *alphabeta.Heuristics, depth, ply, noisy int) alphabeta.Score {
	pos := heuristics.Position
	if o := pos.Outcome(); o != game.Undecided {
		if o == game.Draw {
			return 0
		}
		return alphabeta.Score(o.Value(pos.ToMove())) * alphabeta.WinIn(ply)
	}
	if ply > 0 && len(pos.Wins(nil)) > 0 {
		return alphabeta.WinIn(ply + 1)
	}
	best := -alphabeta.Win
	var list []alphabeta.ScoredMove
	if depth > 0 {
		list = listed(heuristics)
	} else {
		var forced bool
		if list, forced = heuristics.Quiescence.Noisy(noisy, nil); !forced || len(list) == 0 {
			best = heuristics.Evaluation.Evaluate()
		}
		noisy++
	}
	for _, e := range list {
		pos.Play(e.Move)
		best = max(best, -minimax(heuristics, depth-1, ply+1, noisy))
		pos.Undo()
	}
	return best
}

func TestExhaustiveSearchEqualsMinimax(t *testing.T) {
	exhaustive := alphabeta.Options{TableMiB: alphabeta.Off, SolverNodes: alphabeta.Off}.Exhaustive()
	for _, name := range rules.Names() {
		r := lookup(t, name)
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
				b := endgame(t, r, 6, rng)
				depth := 1 + rng.IntN(3)
				heuristics := bind(t, b.Clone())
				want := minimax(&heuristics, depth, 0, 0)
				got := search(t, b.Board(), exhaustive, depth)
				if _, claim := got.Score.Claim(); got.Score != want && !(claim && got.Depth < depth) {
					rt.Fatalf("%v, want %v to depth %d\n%v", got.Score, want, depth, b.Board())
				}
			})
		})
	}
}

// outcome returns 1, 0 or -1 for the side to move, by trying every legal move,
// where stones stay on the board.
func outcome(b *pattern.Board) int {
	if b.Outcome() != game.Undecided {
		return b.Outcome().Value(b.ToMove())
	}
	if len(b.Wins(nil)) > 0 {
		return 1
	}
	best := -1
	for _, m := range b.Moves(nil) {
		b.Play(m)
		best = max(best, -outcome(b))
		b.Undo()
		if best == 1 {
			break
		}
	}
	return best
}

// A search to the end of the game, with everything switched on that claims to
// be exact, finds the true outcome.
func TestSearchFindsTheOutcome(t *testing.T) {
	exact := alphabeta.Options{TableMiB: 1}.Exhaustive()
	for _, name := range rules.Names() {
		r := lookup(t, name)
		if r.Captures {
			continue // games need not end within the empty cells
		}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
				b := endgame(t, r, 4, rng)
				want := outcome(b)
				got := search(t, b.Board(), exact, 12)
				_, claim := got.Score.Claim()
				if sign := sign(got.Score); claim && sign != want || !claim && (want != 0 || got.Score != 0) {
					rt.Fatalf("%v, want %d\n%v", got.Score, want, b.Board())
				}
			})
		})
	}
}

// A search with one thread and an empty table repeats itself to the node.
func TestSearchIsDeterministic(t *testing.T) {
	for _, name := range rules.Names() {
		b := walk(t, lookup(t, name), 15, 20, rand.New(rand.NewPCG(5, 6)))
		var runs [2]alphabeta.Result
		for i := range runs {
			runs[i] = search(t, b.Board(), alphabeta.Options{TableMiB: 1}, 6)
		}
		if runs[0].Move != runs[1].Move || runs[0].Score != runs[1].Score || runs[0].Stats.Nodes != runs[1].Stats.Nodes {
			t.Errorf("%s: %v in %d nodes, then %v in %d", name, runs[0].Score, runs[0].Stats.Nodes, runs[1].Score,
				runs[1].Stats.Nodes)
		}
	}
}

func sign(s alphabeta.Score) int {
	switch {
	case s > 0:
		return 1
	case s < 0:
		return -1
	}
	return 0
}
