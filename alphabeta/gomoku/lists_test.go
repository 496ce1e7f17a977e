package gomoku_test

import (
	"context"
	"flag"
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/internal/tactics"
)

var lists = flag.Int("lists", 60, "random boards per rule set whose lists of moves are compared with all legal ones")

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

// wins reports whether the side to move is proven to win by fours or threats.
func (f *forces) wins(b *pattern.Board) bool { return f.first(b) != game.NoMove }

// winsBy reports whether the side to move is proven to win by m.
func (f *forces) winsBy(b *pattern.Board, m game.Move) bool {
	side := b.ToMove()
	b.Play(m)
	defer b.Undo()
	if b.Outcome() != game.Undecided {
		return b.Outcome() == game.WinFor(side)
	}
	for _, reply := range b.Moves(nil) {
		b.Play(reply)
		won := b.Outcome() == game.WinFor(side) || b.Outcome() == game.Undecided && f.wins(b)
		b.Undo()
		if !won {
			return false
		}
	}
	return true
}

// listedMoves returns the moves of all stages.
func listedMoves(p alphabeta.Picker) (moves []game.Move) {
	for n, more := 0, true; more; n++ {
		var list []alphabeta.Entry
		list, more = p.Stage(n, nil)
		for _, e := range list {
			moves = append(moves, e.Move)
		}
	}
	return moves
}

// A position that is proven to be won by force is won by a move that is
// searched, whatever the opponent threatens.
func TestNoWinIsLeftOut(t *testing.T) {
	f := forces{vcf.New(vcf.Options{})}
	for _, name := range rules.Names() {
		t.Run(name, func(t *testing.T) {
			boards := tactics.Dense{Rules: lookUp(t, name), Size: 15, Seed: 11}
			won, left := 0, 0
			for range *lists {
				b, picker := nextBoard(t, &boards)
				m := f.first(b)
				if m == game.NoMove {
					continue
				}
				won++
				listed := listedMoves(picker)
				if slices.Contains(listed, m) {
					continue
				}
				left++
				if !slices.ContainsFunc(listed, func(m game.Move) bool { return f.winsBy(b, m) }) {
					t.Errorf("%s wins, and none of %d moves\n%v to move\n%v", rules.Notation{Size: 15}.FormatMove(m), len(listed), b.ToMove(), b.Board())
				}
			}
			t.Logf("%d won, %d of them by another move", won, left)
		})
	}
}

func lookUp(t *testing.T, name string) rules.Rules {
	t.Helper()
	r, err := rules.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// nextBoard returns the next random board with its picker.
func nextBoard(t *testing.T, boards *tactics.Dense) (*pattern.Board, alphabeta.Picker) {
	t.Helper()
	plain, err := boards.Next()
	if err != nil {
		t.Fatal(err)
	}
	parts, err := gomoku.Game{}.Bind(plain)
	if err != nil {
		t.Fatal(err)
	}
	return parts.Position.(*pattern.Board), parts.Picker
}
