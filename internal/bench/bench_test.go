package bench

import (
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
)

// Every variant has positions that are undecided and different.
func TestPositions(t *testing.T) {
	for _, o := range []games.VariantOptions{
		{Rule: "freestyle"}, {Rule: "school42", Size: 19}, {Rule: "caro", Size: 15}, {Game: games.Onitama},
	} {
		v, err := games.NewVariant(o)
		if err != nil {
			t.Fatal(err)
		}
		for what, of := range map[string]func(games.Variant) ([]game.Position, error){
			"random": positions, "quiet": quietPositions,
		} {
			list, err := of(v)
			if err != nil || len(list) < len(lengths) {
				t.Fatalf("%+v, %s: %d positions, %v", o, what, len(list), err)
			}
			seen := map[uint64]bool{}
			for i, pos := range list {
				if pos.Outcome() != game.Undecided || len(pos.Wins(nil)) > 0 || seen[pos.Hash()] {
					t.Errorf("%+v, %s: position %d is decided, or there twice", o, what, i)
				}
				seen[pos.Hash()] = true
			}
		}
	}
}
