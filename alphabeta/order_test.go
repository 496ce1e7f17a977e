package alphabeta

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Rows that catch up with the halvings they missed are as if all had been halved each time.
func TestHistoryCatchesUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const slots = 5
		var lazy, eager history
		lazy.resize(slots)
		eager.resize(slots)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "age") {
				for range rapid.SampledFrom([]int{1, 2, 13, 14, 15, 40}).Draw(t, "times") {
					lazy.age()
					for i := range eager.continuation {
						halve(eager.continuation[i])
					}
				}
				continue
			}
			i, earlier, slot := rapid.IntRange(
				0, len(continuationPlies)-1,
			).Draw(t, "number"), rapid.IntRange(0, slots).Draw(t, "earlier"), rapid.IntRange(0, slots-1).Draw(t, "slot")
			value := int16(rapid.IntRange(-HistoryRange, HistoryRange).Draw(t, "figure"))
			lazy.after(i, earlier)[slot], eager.continuation[i][earlier*slots+slot] = value, value
		}
		for i := range continuationPlies {
			for earlier := range slots + 1 {
				if got, want := lazy.after(i, earlier), eager.continuation[i][earlier*slots:][:slots]; !slices.Equal(got, want) {
					t.Fatalf("row %d of %d: %v, want %v", earlier, i, got, want)
				}
			}
		}
	})
}
