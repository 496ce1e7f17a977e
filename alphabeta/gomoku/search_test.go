package gomoku

import (
	"context"
	"math/rand/v2"
	"slices"
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
			t.Errorf("%s: %v in %d nodes, then %v in %d", name, runs[0].Score, runs[0].Stats.Nodes, runs[1].Score, runs[1].Stats.Nodes)
		}
	}
}

// Where stones are captured the solver keeps to its share of a search; without the bound
// it takes more on the same boards.
func TestCaptureFoursStayWithinTheirShare(t *testing.T) {
	const nodes, boards = 20_000, 6
	over := 0
	for seed := range uint64(boards) {
		b := walk(t, lookup(t, "school42"), 19, 60, rand.New(rand.NewPCG(seed, 1)))
		for _, share := range []alphabeta.Switch{0, alphabeta.Off} {
			s, err := alphabeta.New(Game{}, alphabeta.Options{TableMiB: 1, SolverShare: share})
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Search(t.Context(), b.Board(), alphabeta.Limits{Nodes: nodes})
			if err != nil {
				t.Fatal(err)
			}
			switch within := 100*(r.Stats.SolverNodes-alphabeta.FreeSolverNodes) <= captureShare*r.Stats.Nodes; {
			case within:
			case share.On():
				t.Errorf("the solver played %d of %d nodes\n%v", r.Stats.SolverNodes, r.Stats.Nodes, b.Board())
			default:
				over++
			}
		}
	}
	if over == 0 {
		t.Error("without the bound no search goes beyond it: the boards test nothing")
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

// A search that is to end with a win ends with the first iteration of another one that
// claims a win, and like that one where none does.
func TestSearchEndsWithAWin(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	early := 0
	for range 60 {
		b := walk(t, lookup(t, "freestyle"), 11, 20+rng.IntN(20), rng)
		if b.Outcome() != game.Undecided {
			continue
		}
		var results [2]alphabeta.Result
		for i, won := range []bool{false, true} {
			s, err := alphabeta.New(Game{}, alphabeta.Options{TableMiB: 1})
			if err != nil {
				t.Fatal(err)
			}
			if results[i], err = s.Search(t.Context(), b, alphabeta.Limits{Depth: 5, Won: won}); err != nil {
				t.Fatal(err)
			}
		}
		all, short := results[0].Iterations, results[1].Iterations
		want := 0
		for want < len(all) {
			want++
			if plies, ok := all[want-1].Score.Claim(); ok && plies > 0 && all[want-1].Score > 0 {
				break
			}
		}
		if !slices.Equal(short, all[:want]) {
			t.Fatalf("%v, want the first %d of %v in\n%v", short, want, all, b.Board())
		}
		if want < len(all) {
			early++
		}
	}
	if early < 5 {
		t.Errorf("%d searches have ended early, want 5 at least", early)
	}
}
