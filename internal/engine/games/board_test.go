package games

import (
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/alphabeta/vcf/proof"
	"github.com/carozero/carozero/game"
)

// Stones shows what the moves have put on the board, in either form of a position,
// and no stone that was taken. Boards of other kinds have none.
func TestStones(t *testing.T) {
	v := variant(t, VariantOptions{Rule: "school42", Size: 9})
	pos := parse(t, v, "c3d3a9e3f3") // takes d3 and e3
	want := make([]Stone, 81)
	for text, s := range map[string]Stone{"c3": FirstStone, "a9": FirstStone, "f3": FirstStone} {
		moves, err := v.Notation().ParseMoves(text)
		if err != nil {
			t.Fatal(err)
		}
		want[moves[0]] = s
	}
	for _, p := range []game.Position{pos, v.Searchable(pos)} {
		if got := v.Stones(p); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	pos.Play(0)
	if got := v.Stones(pos); got[0] != SecondStone {
		t.Errorf("a stone of the second player shows as %d", got[0])
	}
	other := variant(t, VariantOptions{Game: Onitama})
	if got := other.Stones(parse(t, other, "")); got != nil {
		t.Errorf("onitama has stones: %v", got)
	}
}

// A prover takes positions in either form, and leaves them as they are.
func TestProverTakesBothForms(t *testing.T) {
	v := variant(t, VariantOptions{Rule: "freestyle"})
	pos := parse(t, v, "h8a1i8a3j8a15") // an open three to move: a win in 3
	for _, p := range []game.Position{pos, v.Searchable(pos)} {
		before := p.Hash()
		prover := v.Prover(0)
		if r := prover.Solve(t.Context(), p, vcf.VCF, 1000); r.Outcome != vcf.Win || r.Plies != 3 {
			t.Errorf("%T: %+v, want a win in 3", p, r)
		}
		w, ok := prover.Find(t.Context(), p, proof.Limits{Nodes: 1000}, vcf.VCF, vcf.VCT)
		if !ok || w.Kind != vcf.VCF || w.Plies != 3 {
			t.Errorf("%T: %+v, %t, want a win in 3", p, w, ok)
		}
		for plies, holds := range map[int]bool{3: true, 1: false} {
			asked, err := prover.Replay(p, plies, func(_ game.Position, left int) (game.Move, bool) {
				if left != plies {
					t.Errorf("%d plies left of %d", left, plies)
				}
				return w.Line[0], true
			})
			if holds != (err == nil) || asked != 1 {
				t.Errorf("%T in %d plies: asked %d times, %v", p, plies, asked, err)
			}
		}
		if p.Hash() != before {
			t.Errorf("%T has changed", p)
		}
	}
	other := variant(t, VariantOptions{Game: Onitama})
	if other.Prover(0) != nil || other.Of().HasProver() || other.Of().HasForbidden() || other.Of().HasSizes() {
		t.Error("onitama has a prover, forbidden points or sizes")
	}
}
