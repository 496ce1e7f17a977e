package regression

// Load is how much a factor adds to a weight.
type Load struct {
	Weight int // an index into [2*features]
	Amount float64
}

// Prior is the prior distribution of the weights, which are
//
//	w = Mean + sum over k of x[k] * Factors[k]
//
// with independent standard normal x. A factor of a single weight lets it deviate from its
// mean, with the amount as standard deviation in units of score; a factor of several
// weights lets them deviate together, so that games with one inform the others.
//
// The positions of a game are treated as independent evidence although they are not, so
// amounts must be smaller than the true uncertainty.
type Prior struct {
	Mean    []float64 // [2*features]
	Factors [][]Load
}

// Weights writes the weights at x to w.
func (p *Prior) Weights(w, x []float64) {
	copy(w, p.Mean)
	for k, factor := range p.Factors {
		for _, l := range factor {
			w[l.Weight] += x[k] * l.Amount
		}
	}
}
