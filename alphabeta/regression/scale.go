package regression

import "math"

// Factors that BestFactor looks between.
const (
	leastScale = 0.05
	mostScale  = 20
)

// BestScale returns the factor for all weights under which rows have the
// smallest loss, which is convex in it.
func BestScale(rows *Rows, w []float64) float64 {
	scores := make([]float64, rows.Len())
	for i := range scores {
		row := rows.At(i)
		scores[i] = row.Score(w)
	}
	return BestFactor(scores, rows.want)
}

// BestFactor returns the factor for scores under which targets have the smallest loss.
func BestFactor(scores []float64, targets []float32) float64 {
	loss := func(logarithm float64) float64 {
		factor, sum := math.Exp(logarithm), 0.0
		for i, s := range scores {
			sum += CrossEntropy(factor*s, float64(targets[i]))
		}
		return sum
	}
	return math.Exp(GoldenSection(loss, math.Log(leastScale), math.Log(mostScale)))
}

// GoldenSection returns where a convex function is smallest between two numbers,
// to a thousandth (Kiefer, Sequential minimax search for a maximum, 1953).
func GoldenSection(of func(float64) float64, low, high float64) float64 {
	const golden = 1 / math.Phi
	a, b := high-golden*(high-low), low+golden*(high-low)
	atA, atB := of(a), of(b)
	for high-low > 1e-3 {
		if atA < atB {
			high, b, atB = b, a, atA
			a = high - golden*(high-low)
			atA = of(a)
		} else {
			low, a, atA = a, b, atB
			b = low + golden*(high-low)
			atB = of(b)
		}
	}
	return (low + high) / 2
}

// Comparison says what fitted weights are worth beside those set by hand. Losses are mean
// cross-entropies in nats; the first of each pair is over the positions fitted to, the
// second over those held out.
type Comparison struct {
	// Loss and HandLoss are those of the fitted weights and of those set by hand;
	// HandScaled is that of the latter if all of them are multiplied by HandScale, which
	// is the best factor.
	Loss       [2]float64 `json:"loss"`
	HandLoss   [2]float64 `json:"hand_loss"`
	HandScaled [2]float64 `json:"hand_scaled_loss"`
	HandScale  float64    `json:"hand_scale"`

	// Scale is the best factor for the fitted weights on what was held out: less than 1
	// if they promise too much.
	Scale float64 `json:"scale"`
}

// Compare compares fitted weights with those set by hand.
func Compare(fit, held *Rows, fitted, hand []float64) Comparison {
	c := Comparison{HandScale: BestScale(fit, hand), Scale: BestScale(held, fitted)}
	scaled := make([]float64, len(hand))
	for i, v := range hand {
		scaled[i] = v * c.HandScale
	}
	for i, rows := range []*Rows{fit, held} {
		c.Loss[i] = rows.MeanLoss(fitted)
		c.HandLoss[i] = rows.MeanLoss(hand)
		c.HandScaled[i] = rows.MeanLoss(scaled)
	}
	return c
}
