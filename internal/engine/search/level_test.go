package search

import (
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// linesOf returns lines with scores, whose first moves are 0, 1 and so on.
func linesOf(scores ...alphabeta.Score) []alphabeta.Line {
	lines := make([]alphabeta.Line, len(scores))
	for i, s := range scores {
		lines[i] = alphabeta.Line{Moves: []game.Move{game.Move(i)}, Score: s}
	}
	return lines
}

// A level that slips plays any of its lines so often, whatever they are worth, else what
// is nearly best; the seed and the turn say which. It never misses a win in one move.
func TestSlips(t *testing.T) {
	const moves = 20_000
	l := Level{Nodes: 1, Lines: 4, Margin: 10, Slips: 60}
	played := map[game.Move]int{}
	for seed := range uint64(moves) {
		lines := linesOf(100, 95, 50, -alphabeta.WinIn(2))
		m := l.choose(lines, seed, 7)
		played[m]++
		if again := l.choose(lines, seed, 7); again != m {
			t.Fatalf("seed %d: %v, then %v", seed, m, again)
		}
		if m := l.choose(linesOf(alphabeta.WinIn(1), 95, 50), seed, 7); m != 0 {
			t.Fatalf("seed %d misses a win", seed)
		}
	}
	// Of 100 moves 60 are spread over four lines, the others over the first two.
	for m, want := range map[game.Move]float64{0: 0.35, 1: 0.35, 2: 0.15, 3: 0.15} {
		if got := float64(played[m]) / moves; got < want-0.02 || got > want+0.02 {
			t.Errorf("line %d is played in %.3f of the moves: want %.2f", m, got, want)
		}
	}
}

// A level that slips has no solver, whatever is asked for; the others have one.
func TestLevelsThatSlipHaveNoSolver(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range levels {
		c, err := NewClassical(v, ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}, Proof: ProofNodes{Root: 100}, Level: l})
		if err != nil {
			t.Fatal(err)
		}
		if off := c.proof == (ProofNodes{Root: alphabeta.Off, Claim: alphabeta.Off}); off != (l.Slips > 0) {
			t.Errorf("%s: the solver has %+v", l.Name, c.proof)
		}
	}
}

// Where a level of a game was measured the weaker ones were, and it is stronger than they
// are.
func TestElo(t *testing.T) {
	for name, of := range elo {
		before, count := -1, 0
		for i, l := range levels {
			rating, measured := l.Elo(name)
			if !measured {
				continue
			}
			if count++; rating <= before || count != i+1 {
				t.Errorf("%s in %s has %d after %d; %d levels below it were measured", l.Name, name, rating, before, count-1)
			}
			before = rating
		}
		if count != len(of) || count < 2 || of[levels[0].Name] != 0 {
			t.Errorf("%s: %v", name, of)
		}
	}
	if _, measured := levels[0].Elo("none"); measured {
		t.Error("a game that there is not was measured")
	}
}
