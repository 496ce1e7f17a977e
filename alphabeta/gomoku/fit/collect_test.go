package fit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/regression"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// randomGame plays random moves near stones until the game is over.
func randomGame(tb testing.TB, rng *rand.Rand, r gomoku.Rules, size int) Game {
	b, err := pattern.New(r, size)
	if err != nil {
		tb.Fatal(err)
	}
	g := Game{Rules: r, Size: size}
	for b.Outcome() == game.Undecided {
		moves := nearStones(b, nil)
		m := moves[rng.IntN(len(moves))]
		b.Play(m)
		g.Moves = append(g.Moves, m)
	}
	g.Outcome, g.Reason = b.Outcome(), b.Reason()
	return g
}

func collected(tb testing.TB, rule string, games, size int) *Collector {
	tb.Helper()
	r := lookup(tb, rule)
	rng := rand.New(rand.NewPCG(11, 4))
	c := NewCollector(r, 0)
	for range games {
		if err := c.Add(context.Background(), randomGame(tb, rng, r, size)); err != nil {
			tb.Fatal(err)
		}
	}
	return c
}

// A row scores what the evaluation of its position does, and its target is the
// result for the side to move.
func TestRowsAreTheEvaluation(t *testing.T) {
	for _, rule := range gomoku.Names() {
		r := lookup(t, rule)
		weights := classical.HandWeights(r)
		vec := vector(weights)
		rng := rand.New(rand.NewPCG(2, 9))
		c := NewCollector(r, 0)
		for range 3 {
			g := randomGame(t, rng, r, 11)
			b, err := pattern.New(r, g.Size)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range g.Moves {
				row := c.row(b, g.Outcome)
				if got, want := row.Score(vec), weights.Score(b); math.Abs(got-float64(want)) > 1.01 {
					t.Fatalf("%s: the row's score is %v, the evaluation %v", rule, got, want)
				}
				if want := map[game.Outcome]float32{game.Draw: 0.5, game.WinFor(b.ToMove()): 1}[g.Outcome]; row.Target != want {
					t.Fatalf("%s: %v to move, %v: target %v", rule, b.ToMove(), g.Outcome, row.Target)
				}
				b.Play(m)
			}
		}
		if len(c.counter.Terms()) > 0 {
			t.Errorf("%s: counts are left over", rule)
		}
	}
}

func TestCollectorHoldsGamesOut(t *testing.T) {
	nine, ten := collected(t, "freestyle", 9, 9).Collected(), collected(t, "freestyle", 10, 9).Collected()
	if nine.Games != 9 || nine.Held.Len() != 0 || ten.Games != 10 || ten.Held.Len() == 0 || ten.Fit.Len() != nine.Fit.Len() {
		t.Errorf("nine games: %d and %d rows; ten: %d and %d", nine.Fit.Len(), nine.Held.Len(), ten.Fit.Len(), ten.Held.Len())
	}
}

// A target moves from the result towards the score of the search by the trust
// in it, where there is one, and not among what is held out.
func TestTrustInScores(t *testing.T) {
	r := lookup(t, "freestyle")
	rng := rand.New(rand.NewPCG(6, 2))
	half, none := NewCollector(r, 0.5), NewCollector(r, 0)
	for range holdEvery {
		g := randomGame(t, rng, r, 9)
		for i := range g.Moves {
			score := math.NaN()
			if i%3 > 0 {
				score = forFirst(100, game.Side(i%2))
			}
			g.Scores = append(g.Scores, score)
		}
		for _, c := range []*Collector{half, none} {
			if err := c.Add(context.Background(), g); err != nil {
				t.Fatal(err)
			}
		}
	}
	moved := 0
	for i := range none.Collected().Fit.Len() {
		got, result := float64(half.Collected().Fit.At(i).Target), float64(none.Collected().Fit.At(i).Target)
		want := result/2 + regression.Probability(100)/2
		if got != result && math.Abs(got-want) > 1e-6 {
			t.Fatalf("position %d: target %v of result %v, want that or %v", i, got, result, want)
		}
		if got != result {
			moved++
		}
	}
	if moved == 0 || moved == none.Collected().Fit.Len() {
		t.Errorf("%d of %d targets moved, want some and not all", moved, none.Collected().Fit.Len())
	}
	for i := range none.Collected().Held.Len() {
		if got, want := half.Collected().Held.At(i).Target, none.Collected().Held.At(i).Target; got != want {
			t.Errorf("held out position %d: target %v, want %v", i, got, want)
		}
	}
}

func TestCollectorLeavesTheOpeningOut(t *testing.T) {
	r := lookup(t, "freestyle")
	g := randomGame(t, rand.New(rand.NewPCG(1, 1)), r, 9)
	rows := func(opening int) int {
		c := NewCollector(r, 0)
		g.Opening = opening
		if err := c.Add(context.Background(), g); err != nil {
			t.Fatal(err)
		}
		return c.Collected().Fit.Len()
	}
	if all, some, none := rows(0), rows(3), rows(len(g.Moves)); all != rows(1) || some != all-2 || none != 0 {
		t.Errorf("%d positions, %d after an opening of 3, %d after one of all moves", all, some, none)
	}
}

func TestCollectorRefuses(t *testing.T) {
	r := lookup(t, "caro")
	good := randomGame(t, rand.New(rand.NewPCG(5, 1)), r, 9)
	for name, change := range map[string]func(*Game){
		"undecided":    func(g *Game) { g.Outcome = game.Undecided },
		"forfeit":      func(g *Game) { g.Reason = game.Forfeit },
		"other rules":  func(g *Game) { g.Rules = lookup(t, "renju") },
		"illegal move": func(g *Game) { g.Moves = []game.Move{g.Moves[0], g.Moves[0]} },
		"board":        func(g *Game) { g.Size = 3 },
	} {
		c, g := NewCollector(r, 0), good
		change(&g)
		err := c.Add(context.Background(), g)
		if noResult := name == "undecided" || name == "forfeit"; err == nil || errors.Is(err, ErrNoResult) != noResult {
			t.Errorf("%s: %v", name, err)
		}
		if c.Collected().Games != 0 {
			t.Errorf("%s: it is counted", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := NewCollector(r, 0).Add(ctx, good); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
