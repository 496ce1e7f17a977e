package openings

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

// chosen says by the whole list what is chosen: the first within tolerance of the
// openings that can be tried, else the first of those nearest to 0; -1 if none is
// of use. Values that are no number say that an opening is of no use.
func chosen(values []float64, tolerance float64) int {
	for i, v := range values {
		if math.Abs(v) <= tolerance {
			return i
		}
	}
	best := -1
	for i, v := range values {
		if !math.IsNaN(v) && (best < 0 || math.Abs(v) < math.Abs(values[best])) {
			best = i
		}
	}
	return best
}

func TestBalanced(t *testing.T) {
	var b Balanced // for one choice after the other
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.SampledFrom([]float64{math.NaN(), 0, 1, -1, 0.5, -0.5}), rapid.Float64Range(-1, 1))
		values := rapid.SliceOfN(value, 0, 8).Draw(t, "values")
		b.Tolerance, b.Tries = rapid.SampledFrom([]float64{0, 0.1, 0.5, 1}).Draw(t, "tolerance"), len(values)
		b.Reset()
		want := chosen(values, b.Tolerance)
		moves, drawn := make([]game.Move, 0, 2), 0
		for {
			try, more := b.Next()
			if !more {
				break
			}
			if try != drawn {
				t.Fatalf("try %d, want %d", try, drawn)
			}
			moves = append(moves[:0], game.Move(try), 7) // the room of the one before
			if drawn++; rapid.Bool().Draw(t, "left out") && math.IsNaN(values[try]) {
				continue
			}
			b.Judge(moves, values[try])
		}
		got, found := b.Opening()
		if found != (want >= 0) || found && !slices.Equal(got, []game.Move{game.Move(want), 7}) || !found && len(got) != 0 {
			t.Fatalf("%v, %t, want opening %d of %v", got, found, want, values)
		}
		if enough := want >= 0 && math.Abs(values[want]) <= b.Tolerance; enough && drawn != want+1 || !enough && drawn != len(values) {
			t.Fatalf("%d tries of %v to choose %d", drawn, values, want)
		}
	})
}
