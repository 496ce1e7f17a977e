package alphabeta

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestHistoryStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h int16
		for _, depth := range rapid.SliceOf(rapid.IntRange(-MaxDepth, MaxDepth)).Draw(t, "depths") {
			before, gain := h, bonus(max(depth, -depth))
			if depth < 0 {
				gain = -gain
			}
			gravity(&h, gain)
			if int(h) > HistoryRange || int(h) < -HistoryRange {
				t.Fatalf("%d", h)
			}
			if (gain > 0 && h < before) || (gain < 0 && h > before) {
				t.Fatalf("bonus %d moves %d to %d", gain, before, h)
			}
		}
	})
}

func TestQuietMoves(t *testing.T) {
	for depth, n := range quietMoves {
		if want := 3 + int(math.Pow(float64(depth), 1.4)); n != want {
			t.Errorf("%d moves at depth %d, want %d", n, depth, want)
		}
	}
}

func TestReductionsGrow(t *testing.T) {
	r, none := newReductions(100), newReductions(Off)
	for depth := 1; depth < 63; depth++ {
		for count := 1; count < 63; count++ {
			if r[depth+1][count] < r[depth][count] || r[depth][count+1] < r[depth][count] {
				t.Fatalf("they shrink at depth %d, count %d", depth, count)
			}
			if none[depth][count] != 0 {
				t.Fatal("they are off and reduce")
			}
		}
	}
}
