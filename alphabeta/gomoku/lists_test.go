package gomoku

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

var lists = flag.Int("lists", 40, "random boards per rule set whose lists of moves are compared with all legal ones")

// forces tells by the solvers who wins.
type forces struct{ solver *vcf.Solver }

const forceNodes = 3_000

// first returns the first move of a shortest proven win of the side to move by
// fours, else by threats, game.NoMove if none is proven.
func (f *forces) first(b *pattern.Board) game.Move {
	for _, kind := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		if r := f.solver.Decide(context.Background(), b, kind, forceNodes); r.Outcome == vcf.Win {
			return r.Line[0]
		}
	}
	return game.NoMove
}

// listedMoves returns the moves of all stages.
func listedMoves(p alphabeta.Picker) (moves []game.Move) {
	for n, more := 0, true; more; n++ {
		var list []alphabeta.ScoredMove
		list, more = p.Stage(n, nil)
		for _, e := range list {
			moves = append(moves, e.Move)
		}
	}
	return moves
}

// The first move of a proven win is among the moves that are searched, whatever
// the opponent threatens.
func TestNoWinIsLeftOut(t *testing.T) {
	f := forces{vcf.New(vcf.Options{})}
	for _, name := range rules.Names() {
		boards := dense{Rules: lookup(t, name), Size: 15, Seed: 11}
		won := 0
		for range 3 * *lists {
			b, picker := nextBoard(t, &boards)
			m := f.first(b)
			if m == game.NoMove {
				continue
			}
			won++
			if listed := listedMoves(picker); !slices.Contains(listed, m) {
				t.Errorf("%s: %s wins and is not among %d moves\n%v to move\n%v", name, rules.Notation{Size: 15}.FormatMove(m),
					len(listed), b.ToMove(), b.Board())
			}
		}
		if won < *lists/2 {
			t.Errorf("%s: only %d wins", name, won)
		}
	}
}

// provenLost reports whether the side to move loses at once, or by fours.
func (f *forces) provenLost(b *pattern.Board, m game.Move) bool {
	b.Play(m)
	defer b.Undo()
	if b.Outcome() != game.Undecided {
		return b.Outcome() == game.WinFor(b.ToMove())
	}
	return len(b.Wins(nil)) > 0 || f.solver.Decide(context.Background(), b, vcf.VCF, forceNodes).Outcome == vcf.Win
}

// Against a five or an open four, every move that is left out loses at once or
// by fours, on boards with threats of both sides as well.
func TestLeftOutMovesLoseOnDenseBoards(t *testing.T) {
	f := forces{vcf.New(vcf.Options{})}
	for _, name := range rules.Names() {
		boards := dense{Rules: lookup(t, name), Size: 15, Seed: 12}
		left := 0
		for range *lists {
			b, p := nextBoard(t, &boards)
			if _, u := p.(*picker).defences(); u == free || u == fourThree {
				continue
			}
			listed := listedMoves(p)
			for _, m := range b.Moves(nil) {
				if slices.Contains(listed, m) {
					continue
				}
				left++
				if !f.provenLost(b, m) {
					t.Fatalf("%s: %s is left out of %d moves and not proven to lose\n%v to move\n%v", name,
						rules.Notation{Size: 15}.FormatMove(m), len(listed), b.ToMove(), b.Board())
				}
			}
		}
		if left == 0 {
			t.Errorf("%s: nothing is left out of any list", name)
		}
	}
}

// The solver of fours inside the search, which leaves some fours out, finds
// nearly all wins of at most five plies that the exact one finds, and most at the
// horizon, whether stones are captured or not.
func TestFoursFindShortWins(t *testing.T) {
	exact := vcf.New(vcf.Options{})
	for _, name := range rules.Names() {
		boards := dense{Rules: lookup(t, name), Size: 15, Seed: 13}
		var wins, deep, level [2]int // of at most five plies, longer
		for range 2 * *lists {
			b, _ := nextBoard(t, &boards)
			r := exact.Decide(context.Background(), b, vcf.VCF, 20_000)
			if r.Outcome != vcf.Win {
				continue
			}
			long := 0
			if r.Plies > 5 {
				long = 1
			}
			wins[long]++
			if newSolver(b).Solve(0, 200).Won {
				level[long]++
			}
			if newSolver(b).Solve(20, 200).Won {
				deep[long]++
			}
		}
		t.Logf("%s: %d and %d longer wins; %d and %d found deep in the tree, %d and %d at the horizon", name, wins[0],
			wins[1], deep[0], deep[1], level[0], level[1])
		if wins[0] < *lists/2 || 100*deep[0] < 90*wins[0] || 100*level[0] < 75*wins[0] {
			t.Errorf("%s: of %d short wins %d found deep in the tree and %d at the horizon", name, wins[0], deep[0], level[0])
		}
	}
}

// nextBoard returns the next random board with its picker.
func nextBoard(t *testing.T, boards *dense) (*pattern.Board, alphabeta.Picker) {
	t.Helper()
	plain, err := boards.Next()
	if err != nil {
		t.Fatal(err)
	}
	parts, err := Game{}.Bind(plain)
	if err != nil {
		t.Fatal(err)
	}
	return parts.Position.(*pattern.Board), parts.Picker
}

// listed returns all moves of a position's stages.
func listed(heuristics *alphabeta.Heuristics) (all []alphabeta.ScoredMove) {
	for n, more := 0, true; more; n++ {
		var list []alphabeta.ScoredMove
		list, more = heuristics.Picker.Stage(n, nil)
		all = append(all, list...)
	}
	return all
}

// Every listed move is legal, listed once, and as Describe says; there is
// always one.
func TestListedMovesAreLegal(t *testing.T) {
	eachRule(t, func(rt *rapid.T, b *pattern.Board, _ *rand.Rand) {
		if len(b.Wins(nil)) > 0 {
			return
		}
		heuristics := bind(t, b)
		var moves []game.Move
		for _, e := range listed(&heuristics) {
			if e != heuristics.Picker.Describe(e.Move) || int(e.Slot) >= heuristics.Slots || !b.Legal(e.Move) {
				rt.Fatalf("%+v is described as %+v, legal %v\n%v", e, heuristics.Picker.Describe(e.Move), b.Legal(e.Move),
					b.Board())
			}
			moves = append(moves, e.Move)
		}
		slices.Sort(moves)
		if n := len(moves); n == 0 || len(slices.Compact(moves)) != n {
			rt.Fatalf("%d moves, %d different ones\n%v", n, len(slices.Compact(moves)), b.Board())
		}
		for _, m := range b.Moves(nil) {
			heuristics.Picker.Describe(m)
		}
	})
}
