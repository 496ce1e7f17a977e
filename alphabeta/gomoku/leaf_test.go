package gomoku

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

var leaves = flag.Int("leaves", 500, "boards per rule set whose wins by fours at leaves are replayed")

// checkLeaf compares what s finds with a solver that has not been asked before, with package
// vcf, and, by a replay, with the plain rules. It reports whether there is a win.
func checkLeaf(t *testing.T, s *LeafFours, slow *vcf.Solver, b *pattern.Board) (won bool) {
	t.Helper()
	key := b.Board().Key()
	m, plies, won := s.Prove(b)
	if b.Board().Key() != key {
		t.Fatalf("the position has changed\n%v", b.Board())
	}
	fresh := NewLeafFours(b.Board().Rules(), s.nodes)
	if m2, plies2, won2 := fresh.Prove(b); m2 != m || plies2 != plies || won2 != won {
		t.Fatalf("%d %d %v, and asked first %d %d %v\n%v", m, plies, won, m2, plies2, won2, b.Board())
	}
	if !won {
		return false
	}
	twin := func(b *pattern.Board) (game.Move, int, bool) {
		r := slow.Solve(t.Context(), b, vcf.VCF, 200_000)
		if r.Outcome == vcf.None {
			t.Fatalf("a win in %d by %d that is none\n%v", plies, m, b.Board())
		}
		return line(r), r.Plies, r.Outcome == vcf.Win
	}
	first := true
	_, err := vcf.Replay(b.Board().Copy(), plies, func(now *rules.Board) (game.Move, int, bool) {
		if first {
			first = false
			return m, plies, true
		}
		return twin(pattern.FromBoard(now))
	})
	if err != nil {
		t.Fatalf("a win in %d by %d: %v\n%v", plies, m, err, b.Board())
	}
	return true
}

func line(r vcf.Result) game.Move {
	if len(r.Line) == 0 {
		return game.NoMove
	}
	return r.Line[0]
}

// Every win at a leaf is one by the plain rules within the plies that it tells, whatever
// the solver was asked before; also on boards that are nearly full, where renju may leave
// a side no move.
func TestWinsAtLeavesReplay(t *testing.T) {
	slow := vcf.New(vcf.Options{})
	for _, name := range rules.Names() {
		r := lookup(t, name)
		if NewLeafFours(r, 1) == nil {
			if !r.Captures && !r.DoubleThree {
				t.Errorf("%s has no solver", name)
			}
			continue
		}
		rng := rand.New(rand.NewPCG(7, 7))
		boards := dense{Rules: r, Size: 15, Seed: 21}
		small, wide := NewLeafFours(r, 16), NewLeafFours(r, 500)
		var wins [2]int
		for i := range *leaves {
			b, _ := nextBoard(t, &boards)
			if i%2 == 1 {
				size := 5 + rng.IntN(7)
				b = walk(t, r, size, rng.IntN(size*size), rng)
			}
			if b.Outcome() != game.Undecided || len(b.Wins(nil)) > 0 {
				continue
			}
			for k, s := range []*LeafFours{small, wide} {
				if won := checkLeaf(t, s, slow, b); won {
					wins[k]++
				}
			}
		}
		if wins[0] < *leaves/20 || wins[1] < wins[0] {
			t.Errorf("%s: %v wins", name, wins)
		}
		t.Logf("%s: %v wins", name, wins)
	}
}
