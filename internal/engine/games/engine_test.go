package games

import (
	"testing"

	"github.com/carozero/carozero/game"
)

func TestEveryVariantStartsAndReadsItself(t *testing.T) {
	for _, o := range append(everyRule(), VariantOptions{Game: Onitama}) {
		v, err := NewVariant(o)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := v.Start()
		if err != nil {
			t.Fatal(err)
		}
		var moves []game.Move
		for range 6 {
			list := pos.Moves(nil)
			m := list[len(list)/2]
			moves = append(moves, m)
			pos.Play(m)
		}
		text := v.Notation().FormatMoves(moves)
		if v.Game == Onitama {
			text = DefaultDeal + ":" + text
		}
		again, err := v.Parse(text)
		if err != nil || again.Hash() != pos.Hash() {
			t.Errorf("%s: %q read back: %v", v.Rule(), text, err)
		}
	}
}

func TestRandomOpeningsStayNearStones(t *testing.T) {
	v, err := NewVariant(VariantOptions{Size: 15})
	if err != nil {
		t.Fatal(err)
	}
	pos, err := v.Start()
	if err != nil {
		t.Fatal(err)
	}
	near := v.Candidates()
	if got := len(near(pos, nil)); got != 25 {
		t.Errorf("%d first moves, want the 25 around the centre", got)
	}
	pos.Play(0)
	if got := near(pos, nil); len(got) != 8 {
		t.Errorf("%d moves near a stone in the corner, want 8", len(got))
	}
}

func variant(t *testing.T, o VariantOptions) Variant {
	t.Helper()
	v, err := NewVariant(o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func parse(t *testing.T, v Variant, text string) game.Position {
	t.Helper()
	pos, err := v.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return pos
}

func everyRule() (all []VariantOptions) {
	for _, name := range RuleNames() {
		all = append(all, VariantOptions{Rule: name, Size: 9})
	}
	return all
}
