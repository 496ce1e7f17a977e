package alphabeta

import (
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
