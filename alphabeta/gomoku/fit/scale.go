package fit

import "math"

// Factors that bestScale looks between.
const (
	leastScale = 0.05
	mostScale  = 20
)

// bestScale returns the factor for all weights under which rows have the
// smallest loss: by golden section, because the loss is convex in it (Kiefer,
// Sequential minimax search for a maximum, 1953).
func bestScale(rows *Rows, w []float64) float64 {
	scores := make([]float64, rows.Len())
	for i := range scores {
		row := rows.At(i)
		scores[i] = row.Score(w)
	}
	loss := func(logarithm float64) float64 {
		factor, sum := math.Exp(logarithm), 0.0
		for i, s := range scores {
			sum += crossEntropy(factor*s, float64(rows.want[i]))
		}
		return sum
	}
	const golden = 1 / math.Phi
	low, high := math.Log(leastScale), math.Log(mostScale)
	a, b := high-golden*(high-low), low+golden*(high-low)
	atA, atB := loss(a), loss(b)
	for high-low > 1e-3 {
		if atA < atB {
			high, b, atB = b, a, atA
			a = high - golden*(high-low)
			atA = loss(a)
		} else {
			low, a, atA = a, b, atB
			b = low + golden*(high-low)
			atB = loss(b)
		}
	}
	return math.Exp((low + high) / 2)
}
