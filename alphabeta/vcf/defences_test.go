package vcf_test

import (
	"context"
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
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
