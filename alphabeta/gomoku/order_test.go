package gomoku

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game/gomoku/pattern"
)

// The hint of a move is the sum of what the order says of the codes of its cell.
func TestHintsAreTheOrder(t *testing.T) {
	eachRule(t, func(rt *rapid.T, b *pattern.Board, _ *rand.Rand) {
		if len(b.Wins(nil)) > 0 {
			return
		}
		r := b.Board().Rules()
		order := fittedOrders[r.Name]
		if order == nil {
			order = fittedOrders["freestyle"]
		}
		parts := bind(t, b)
		own := b.ToMove()
		for _, e := range listed(&parts) {
			c := int(e.Move)
			want := hintUnit * (int32(order.Own[b.Code(c, own)]) + int32(order.Opp[b.Code(c, own.Other())]))
			if e.Hint != want {
				rt.Fatalf("cell %d: hint %d, want %d", c, e.Hint, want)
			}
		}
	})
}
