package arena

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

// An offset leads off the board at each of its four sides, by one cell and by many.
func TestOffsetsOffTheBoard(t *testing.T) {
	for _, c := range []struct {
		size int
		off  string // the first cells beyond the board
		on   string // the last ones on it
	}{
		{15, "0,8 0,-8 8,0 -8,0 15,0 -16,0 0,15 0,-16 0,16 16,0", "0,7 0,-7 7,0 -7,0"},
		{20, "0,10 0,-11 10,0 -11,0 20,20", "0,9 0,-10 9,0 -10,0"},
	} {
		for _, text := range strings.Fields(c.off) {
			if moves, err := ParseOffsets(text, c.size); err == nil || !strings.Contains(err.Error(), "move 1, "+text+": is off the board") {
				t.Errorf("%s on size %d: %v, %v", text, c.size, moves, err)
			}
			if _, err := ParseOffsets("0,0,"+text, c.size); err == nil || !strings.Contains(err.Error(), "move 2, ") {
				t.Errorf("%s as the second move: %v", text, err)
			}
		}
		for _, text := range strings.Fields(c.on) {
			if _, err := ParseOffsets(text, c.size); err != nil {
				t.Errorf("%s on size %d: %v", text, c.size, err)
			}
		}
	}
}

// Few samples are estimated as the definition says, one of a kind included: as many
// as there are, and one more in two halves where all are alike.
func TestEstimateEloOfFewSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOfN(rapid.SampledFrom([]int{0, 0, 1, 2}), 3, 5).Draw(t, "counts")
		scores, weights := make([]float64, len(counts)), make([]float64, len(counts))
		kinds, at, n := 0, len(counts)/2, 0.0
		for i, c := range counts {
			scores[i] = float64(i) / float64(len(counts)-1)
			weights[i] = float64(c)
			n += float64(c)
			if c >= 1 {
				kinds, at = kinds+1, i
			}
		}
		if kinds < 2 {
			up, down := at+1, at-1
			if down < 0 {
				down = up
			} else if up == len(counts) {
				up = down
			}
			weights[up] += 0.5
			weights[down] += 0.5
			n++
		}
		mean, variance := stat.PopMeanVariance(scores, weights)
		half := 1.959963984540054 * math.Sqrt(variance/n)
		elo, bound := EstimateElo(counts)
		if math.Abs(elo-EloOf(mean)) > 1e-8 || math.Abs(bound-(EloOf(mean+half)-EloOf(mean-half))/2) > 1e-8 {
			t.Fatalf("Elo of %v = %g +- %g, want %g", counts, elo, bound, EloOf(mean))
		}
	})
}
