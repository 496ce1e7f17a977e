package mcts

import (
	"cmp"
	"math"

	"github.com/carozero/carozero/internal/support/exactmath"
)

// Gumbel configures the root search of Danihelka, Guez, Schrittwieser and Silver,
// "Policy improvement by planning with Gumbel", ICLR 2022: a few moves are drawn from
// the priors without replacement, sequential halving distributes the playouts over
// them (halving.go), and [Gumbel.Improve] computes the improved policy. It is meant for
// few playouts, 16 to 64. Below the root the search is PUCT as always; the paper's rule
// for interior nodes is not implemented. The zero value means PUCT at the root too.
type Gumbel struct {
	// Considered is how many moves are drawn, 2 or more; fewer if there are fewer
	// moves or playouts. Zero means PUCT at the root. The paper has 16.
	Considered int

	// Visits and Scale are c_visit and c_scale of
	//
	//	sigma(q) = (c_visit + max N(b)) * c_scale * q
	//
	// Zero means 50 and 0.1, with q in -1..1. The paper has 50 and, for Go, 1 with q
	// in 0..1, which is 0.5 here; TECHNIQUES.md says which is better for play.
	Visits, Scale float64
}

// Defaults of the zero Gumbel.
const (
	defaultGumbelVisits = 50
	defaultGumbelScale  = 0.1
)

// WithDefaults returns g with each zero but Considered replaced by what it stands
// for.
func (g Gumbel) WithDefaults() Gumbel {
	g.Visits = cmp.Or(g.Visits, defaultGumbelVisits)
	g.Scale = cmp.Or(g.Scale, defaultGumbelScale)
	return g
}

// sigma returns the sigma(q) that is added to a logit, where the most visited move has
// most visits.
func (g *Gumbel) sigma(q float64, most uint32) float64 {
	return float64(float64(float64(g.Visits+float64(most))*g.Scale) * q)
}

// completion computes the value of the root's moves without visits from the visited
// ones (section 4 and appendix D of the paper):
//
//	v_mix = (v + sum N / sum P * sum P*q) / (1 + sum N)
//
// where v is the network's value and the sums go over the visited moves. Moves that
// are proven lost are left out as if the rules forbade them.
type completion struct {
	visits uint64
	most   uint32
	mass   float64 // of the priors
	value  float64 // sum of priors times values
}

// add adds a visited move.
func (c *completion) add(prior, q float32, visits uint32) {
	c.visits += uint64(visits)
	c.most = max(c.most, visits)
	c.mass += float64(prior)
	c.value += float64(float64(prior) * float64(q))
}

// mixed returns v_mix.
func (c *completion) mixed(netValue float32) float64 {
	v := float64(netValue)
	if c.mass == 0 {
		return v
	}
	n := float64(c.visits)
	return (v + float64(float64(n/c.mass)*c.value)) / (1 + n)
}

// leastPrior is the least prior whose logarithm is taken; smaller ones count as it.
const leastPrior = 1e-30

// logit returns the logarithm of a prior.
func logit(prior float32) float64 { return exactmath.Ln(max(float64(prior), leastPrior)) }

// Improve fills shares with the improved policy over the children of a Result and
// returns the root's value under it, -1..1:
//
//	softmax(logits + sigma(completed q))
//
// where a visited or proven move has its own value and any other v_mix. If some moves
// are proven to win, they share equally and the others get nothing; moves proven to
// lose get nothing unless all are. Shares sum to 1. len(shares) must be the number of
// children, at least one.
func (g Gumbel) Improve(r *Result, shares []float64) (value float64) {
	g = g.WithDefaults()
	top := Loss
	var seen completion
	for i := range r.Children {
		c := &r.Children[i]
		top = better(top, c.Proven)
		if c.Visits > 0 && c.Proven != Loss {
			seen.add(c.Prior, c.Q, c.Visits)
		}
	}
	mixed := seen.mixed(r.NetValue)
	q := func(c *Child) float64 {
		if c.Visits > 0 || c.Proven != Unknown {
			return float64(c.Q)
		}
		return mixed
	}
	most := math.Inf(-1)
	for i := range r.Children {
		c := &r.Children[i]
		shares[i] = math.Inf(-1)
		if inRunning(top, c.Proven) {
			shares[i] = logit(c.Prior) + g.sigma(q(c), seen.most)
		}
		most = max(most, shares[i])
	}
	sum := 0.0
	for i := range r.Children {
		if math.IsInf(shares[i], -1) {
			shares[i] = 0
		} else if top == Win {
			shares[i] = 1
		} else {
			shares[i] = exactmath.Exp(shares[i] - most)
		}
		sum += shares[i]
	}
	for i := range r.Children {
		shares[i] /= sum
		value += float64(shares[i] * q(&r.Children[i]))
	}
	return value
}

// better returns Win if either proof is one, Loss if both are, else Unknown.
func better(a, b Proof) Proof {
	switch {
	case a == Win || b == Win:
		return Win
	case a == Loss && b == Loss:
		return Loss
	}
	return Unknown
}

// inRunning reports whether a move with the proof p can have a share if the best proof
// is top: only wins if there is a win, and losses only if all moves lose.
func inRunning(top, p Proof) bool {
	switch top {
	case Win:
		return p == Win
	case Loss:
		return true
	}
	return p != Loss
}
