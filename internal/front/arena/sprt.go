package arena

import (
	"fmt"
	"math"
)

// SPRT is a sequential test of the hypothesis that A is Elo1 points stronger
// than B (H1) against Elo0 points (H0), both logistic Elo.
type SPRT struct {
	Elo0, Elo1 float64
	Alpha      float64 // the risk of accepting H1 where H0 holds; 0 means 0.05
	Beta       float64 // the risk of accepting H0 where H1 holds; 0 means 0.05
}

// Verdict is the result of an [SPRT].
type Verdict string

// The verdicts. NoTest is that of a match without a test.
const (
	NoTest   Verdict = "none"
	Continue Verdict = "continue"
	AcceptH0 Verdict = "h0"
	AcceptH1 Verdict = "h1"
)

// defaultRisk is the risk that a zero Alpha or Beta means.
const defaultRisk = 0.05

// maxElo bounds the hypotheses' Elo.
const maxElo = 1000

// Validate returns an error if the test's numbers are invalid.
func (t SPRT) Validate() error {
	t = t.withDefaults()
	switch {
	case !(math.Abs(t.Elo0) <= maxElo && math.Abs(t.Elo1) <= maxElo):
		return fmt.Errorf("sprt: elo0 %g, elo1 %g: want both in -%d..%d", t.Elo0, t.Elo1, maxElo, maxElo)
	case !(t.Elo0 < t.Elo1):
		return fmt.Errorf("sprt: elo0 %g, elo1 %g: want elo0 < elo1", t.Elo0, t.Elo1)
	case !(t.Alpha > 0 && t.Beta > 0 && t.Alpha < 0.5 && t.Beta < 0.5):
		return fmt.Errorf("sprt: alpha %g, beta %g: want both over 0 and under 0.5", t.Alpha, t.Beta)
	}
	return nil
}

func (t SPRT) withDefaults() SPRT {
	if t.Alpha == 0 {
		t.Alpha = defaultRisk
	}
	if t.Beta == 0 {
		t.Beta = defaultRisk
	}
	return t
}

// Bounds returns the log likelihood ratios at which H0 and H1 are accepted,
// Wald's ln(beta/(1-alpha)) and ln((1-beta)/alpha).
func (t SPRT) Bounds() (lower, upper float64) {
	t = t.withDefaults()
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// Decide returns the verdict at a log likelihood ratio.
func (t SPRT) Decide(llr float64) Verdict {
	lower, upper := t.Bounds()
	switch {
	case llr >= upper:
		return AcceptH1
	case llr <= lower:
		return AcceptH0
	}
	return Continue
}

// emptyCount replaces a count of zero, so that every score stays possible.
const emptyCount = 1e-3

// LLR returns the generalised log likelihood ratio of H1 to H0, given counts
// as in [EstimateElo]: N times the mean, over the observed distribution, of
// ln(p1/p0), where p0 and p1 are the likeliest distributions with the scores
// that H0 and H1 expect. It is 0 where nothing is counted.
func (t SPRT) LLR(counts []int) float64 {
	observed := make([]float64, len(counts))
	games, n := 0, 0.0
	for i, c := range counts {
		games += c
		observed[i] = max(float64(c), emptyCount)
		n += observed[i]
	}
	if games == 0 {
		return 0
	}
	for i := range observed {
		observed[i] /= n
	}
	s0, s1 := Score(t.Elo0), Score(t.Elo1)
	x0, x1 := multiplier(observed, s0), multiplier(observed, s1)
	sum := 0.0
	for i, p := range observed {
		a := float64(i) / float64(len(observed)-1)
		// p1/p0, the observed frequency cancelled.
		ratio := (1 + float64(x0*(a-s0))) / (1 + float64(x1*(a-s1)))
		sum += float64(p * math.Log(ratio))
	}
	return n * sum
}

// multiplier returns the x for which p[i] / (1 + x*(a[i]-s)) has the mean s,
// where a[i] = i/(len(p)-1): the likeliest distribution of mean s, given the
// observed p (Van den Bergh, Proposition 1.1). All p are positive and s lies
// between 0 and 1, so that the one solution lies between the two poles, where
// the sum below falls from +Inf to -Inf.
func multiplier(p []float64, s float64) float64 {
	const halvings = 100
	low, high := -1/(1-s), 1/s
	for range halvings {
		x := low + (high-low)/2
		sum := 0.0
		for i, pi := range p {
			d := float64(i)/float64(len(p)-1) - s
			sum += pi * d / (1 + float64(x*d))
		}
		if sum > 0 {
			low = x
		} else {
			high = x
		}
	}
	return low + (high-low)/2
}
