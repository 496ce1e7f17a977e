package arena

import "math"

// scoreEdge is how near an estimated score may come to 0 and 1, where the Elo
// difference is about 1200.
const scoreEdge = 1e-3

// normal95 is the 97.5% quantile of the normal distribution.
var normal95 = math.Sqrt2 * math.Erfinv(0.95)

// Score returns the expected score, in 0..1, of a player that is elo points
// stronger than its opponent.
func Score(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// EloOf returns the Elo difference at which a score in 0..1 is expected, with
// the score kept scoreEdge away from 0 and 1. It is the inverse of [Score].
func EloOf(score float64) float64 {
	score = min(max(score, scoreEdge), 1-scoreEdge)
	return 400 * math.Log10(score/(1-score))
}

// EstimateElo returns the Elo difference that the samples show and the half
// width of its 95% interval, (Elo(hi) - Elo(lo)) / 2 where lo and hi are the
// ends of the normal interval of the mean score. counts[i] is the number of
// samples that scored i/(len(counts)-1): losses, draws and wins of games, or
// the five scores of pairs.
//
// Samples that are all alike show no spread from which an error could be
// read, and no samples show nothing at all. Then one more sample is counted,
// half of it one step above and half one step below (both halves on the one
// side that there is at an end of the scale), so that the error is wide and
// finite.
func EstimateElo(counts []int) (elo, bound float64) {
	weights := make([]float64, len(counts))
	for i, n := range counts {
		weights[i] = float64(n)
	}
	if at, alike := soleScore(counts); alike {
		last := len(counts) - 1
		above, below := at+1, at-1
		if at == 0 {
			below = above
		}
		if at == last {
			above = below
		}
		weights[above] += 0.5
		weights[below] += 0.5
	}
	mean, variance, n := moments(weights)
	half := normal95 * math.Sqrt(variance/n)
	return EloOf(mean), (EloOf(mean+half) - EloOf(mean-half)) / 2
}

// soleScore returns the index of the only count that is not zero, the middle
// one if all are, and false if there are several.
func soleScore(counts []int) (at int, alike bool) {
	at = len(counts) / 2
	found := 0
	for i, n := range counts {
		if n > 0 {
			at = i
			found++
		}
	}
	return at, found <= 1
}

// moments returns the mean and variance of the scores under weights, which
// are counts as in [EstimateElo], and the sum of the weights.
func moments(weights []float64) (mean, variance, n float64) {
	top := float64(len(weights) - 1)
	for i, w := range weights {
		n += w
		mean += float64(w * float64(i) / top)
	}
	mean /= n
	for i, w := range weights {
		d := float64(i)/top - mean
		variance += float64(w * d * d)
	}
	return mean, variance / n, n
}
