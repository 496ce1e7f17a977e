package vcf_test

import (
	"context"
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// TestDefences replays the loss after every move that Defences leaves out.
func TestDefences(t *testing.T) {
	s := vcf.New(vcf.Options{})
	for _, name := range gomoku.Names() {
		threats := 0
		for _, b := range positions(t, name, 14, 8) {
			before := b.Board().Key()
			moves, complete := s.Defences(context.Background(), b, 2000, nil)
			if b.Board().Key() != before {
				t.Fatalf("%s: the position has changed", name)
			}
			if !complete {
				if len(moves) > 0 {
					t.Errorf("%s: moves without a threat: %v", name, moves)
				}
				continue
			}
			threats++
			if !slices.IsSorted(moves) {
				t.Errorf("%s: not in order: %v", name, moves)
			}
			plain := b.Board().Copy()
			for _, m := range plain.Moves(nil) {
				if slices.Contains(moves, m) {
					continue
				}
				plain.Play(m)
				if plain.Outcome() == game.Undecided {
					if _, err := vcf.Replay(plain, 99, strategy(vcf.VCF)); err != nil {
						t.Errorf("%s: %v is left out: %v", name, m, err)
					}
				} else if plain.Outcome() != game.WinFor(plain.ToMove()) {
					t.Errorf("%s: %v is left out and ends the game %v", name, m, plain.Outcome())
				}
				plain.Undo()
			}
		}
		if threats < 3 {
			t.Errorf("%s: only %d positions with a threat", name, threats)
		}
	}
}

// TestDefencesAgainstAFour checks the sets of one four under the rules that differ.
func TestDefencesAgainstAFour(t *testing.T) {
	const four = `
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
O X X X X . . . .
. . . . . . . . .
. . O . O . O . .
. . . . . . . . .
. . . . . . . . .`
	tests := []struct{ rule, want string }{
		{"freestyle", "f5"}, {"standard", "f5"}, {"renju", "f5"}, {"school42", "f5"},
		{"caro", "f5g5"}, {"caro-overline", "f5g5"}, {"caro-edge", "f5g5"}, {"caro-edge-overline", "f5g5"},
	}
	n := gomoku.Notation{Size: 9}
	for _, tt := range tests {
		b := diagram(t, tt.rule, game.Second, four)
		moves, complete := vcf.New(vcf.Options{}).Defences(context.Background(), pattern.FromBoard(b), 1000, nil)
		if got := n.FormatMoves(moves); got != tt.want || !complete {
			t.Errorf("%s: defences %s (complete: %v), want %s", tt.rule, got, complete, tt.want)
		}
	}
}
