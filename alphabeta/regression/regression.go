// Package regression finds weights that make results of games as probable as they can be:
// logistic regression over sparse rows of features, each with a weight for the beginning of
// a game and one for its end, under a normal [Prior]. The packages that fit evaluations of
// games share it.
package regression

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// objective is the negative logarithm of the posterior of the weights, up to a
// constant, as a function of the x of the prior:
//
//	loss of the evidence + sum over k of x[k]^2 / 2
//
// It is strictly convex, so that there is one minimum (Bishop, Pattern
// Recognition and Machine Learning, 2006, section 4.5.1).
type objective struct {
	evidence Evidence
	prior    Prior
	weights  []float64 // of the point last asked for
	gradient []float64 // of the loss, by weight
}

// Evidence is the likelihood of weights given the games.
type Evidence interface {
	// Loss returns the negative logarithm of the likelihood of weights, a
	// convex function of them.
	Loss(w []float64) float64

	// AddSlope adds the derivative of Loss by each weight to gradient.
	AddSlope(w, gradient []float64)
}

func newObjective(e Evidence, prior Prior) *objective {
	n := len(prior.Mean)
	return &objective{evidence: e, prior: prior, weights: make([]float64, n), gradient: make([]float64, n)}
}

// value returns the objective at x.
func (o *objective) value(x []float64) float64 {
	o.prior.Weights(o.weights, x)
	sum := o.evidence.Loss(o.weights)
	for _, v := range x {
		sum += v * v / 2
	}
	return sum
}

// slope writes the gradient at x to g.
func (o *objective) slope(g, x []float64) {
	o.prior.Weights(o.weights, x)
	clear(o.gradient)
	o.evidence.AddSlope(o.weights, o.gradient)
	for k, factor := range o.prior.Factors {
		g[k] = x[k]
		for _, l := range factor {
			g[k] += l.Amount * o.gradient[l.Weight]
		}
	}
}

// maxIterations ends a minimisation that goes on improving by next to nothing.
const maxIterations = 500

// Minimise returns the most probable weights given the evidence and the prior, by L-BFGS
// from the mean, and the context's error if it ends before that.
func Minimise(ctx context.Context, e Evidence, prior Prior) ([]float64, error) {
	o := newObjective(e, prior)
	problem := optimize.Problem{Func: o.value, Grad: o.slope, Status: func() (optimize.Status, error) {
		return optimize.NotTerminated, ctx.Err()
	}}
	settings := &optimize.Settings{
		GradientThreshold: 1e-4,
		MajorIterations:   maxIterations,
		Converger:         &optimize.FunctionConverge{Relative: 1e-9, Iterations: 10},
	}
	// Near the minimum a line search may fail for want of digits.
	result, err := optimize.Minimize(problem, make([]float64, len(o.prior.Factors)), settings, &optimize.LBFGS{})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if result == nil || (err != nil && !errors.Is(err, optimize.ErrLinesearcherFailure)) {
		return nil, fmt.Errorf("minimising: %w", err)
	}
	w := make([]float64, len(o.prior.Mean))
	o.prior.Weights(w, result.X)
	return w, nil
}

// Counter adds up what an evaluation tells of a position, feature by feature, into the
// terms of a row. The zero value is ready. It belongs to one goroutine.
type Counter struct {
	counts  []int16  // by feature; all 0 between two rows
	touched []uint16 // the features that were told, each at least once, in order
	terms   []Term
}

// Count adds count to a feature.
func (c *Counter) Count(feature, count int) {
	for feature >= len(c.counts) {
		c.counts = append(c.counts, 0)
	}
	if c.counts[feature] == 0 {
		c.touched = append(c.touched, uint16(feature))
	}
	c.counts[feature] += int16(count)
}

// Terms returns what has been counted since the last call, a term for each feature whose
// counts do not add up to 0, in the order in which they were first counted. They belong
// to c and are valid until the next call.
func (c *Counter) Terms() []Term {
	c.terms = c.terms[:0]
	for _, f := range c.touched {
		if n := c.counts[f]; n != 0 {
			c.terms = append(c.terms, Term{Feature: f, Count: n})
			c.counts[f] = 0
		}
	}
	c.touched = c.touched[:0]
	return c.terms
}

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

// Term is one feature of a position and how often it occurs, for the side to
// move less for its opponent.
type Term struct {
	Feature uint16
	Count   int16
}

// Row is one position. Its score under the weights w is
//
//	sum over terms of Count * ((1-Phase)*w[Feature] + Phase*w[features+Feature])
//
// so that a feature has two weights, one for the beginning of a game and one
// for its end.
type Row struct {
	Terms  []Term
	Phase  float32 // 0..1, how far the game is from its beginning to its end
	Target float32 // 0..1, the result for the side to move: 0 lost, 0.5 drawn, 1 won
}

// Rows hold positions in little memory, four bytes a term. The zero value has
// no rows.
type Rows struct {
	terms []Term
	ends  []uint32 // row i has the terms ends[i-1]..ends[i]
	phase []float32
	want  []float32
}

// Add appends a copy of a row.
func (r *Rows) Add(row Row) {
	r.terms = append(r.terms, row.Terms...)
	r.ends = append(r.ends, uint32(len(r.terms)))
	r.phase = append(r.phase, row.Phase)
	r.want = append(r.want, row.Target)
}

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.ends) }

// At returns row i as a view.
func (r *Rows) At(i int) Row {
	from := uint32(0)
	if i > 0 {
		from = r.ends[i-1]
	}
	return Row{Terms: r.terms[from:r.ends[i]], Phase: r.phase[i], Target: r.want[i]}
}

// SetTarget replaces the target of row i.
func (r *Rows) SetTarget(i int, target float32) { r.want[i] = target }

// Score returns the score of a row under weights [2*features].
func (row *Row) Score(w []float64) float64 {
	var begin, end float64
	half := len(w) / 2
	for _, t := range row.Terms {
		begin += float64(t.Count) * w[t.Feature]
		end += float64(t.Count) * w[half+int(t.Feature)]
	}
	p := float64(row.Phase)
	return (1-p)*begin + p*end
}

// AddGradient adds slope times the derivative of the score by each weight.
func (row *Row) AddGradient(slope float64, gradient []float64) {
	half := len(gradient) / 2
	p := float64(row.Phase)
	begin, end := slope*(1-p), slope*p
	for _, t := range row.Terms {
		gradient[t.Feature] += begin * float64(t.Count)
		gradient[half+int(t.Feature)] += end * float64(t.Count)
	}
}

// Scale is the score that makes a win e times as likely as a loss: a score s
// stands for the winning probability 1/(1+exp(-s/Scale)).
const Scale = 200

// Probability returns the winning probability that a score stands for.
func Probability(score float64) float64 { return 1 / (1 + math.Exp(-score/Scale)) }

// CrossEntropy returns -target*log(p) - (1-target)*log(1-p) for the
// probability p of a score, in nats, without losing digits where p is near to 0
// or 1.
func CrossEntropy(score, target float64) float64 {
	x := score / Scale
	return math.Max(x, 0) - target*x + math.Log1p(math.Exp(-math.Abs(x)))
}

// MeanLoss returns the mean cross-entropy of the rows under weights, in nats; 0
// without rows. Guessing 0.5 everywhere costs log 2 = 0.693.
func (r *Rows) MeanLoss(w []float64) float64 {
	if r.Len() == 0 {
		return 0
	}
	sum := 0.0
	for i := range r.ends {
		row := r.At(i)
		sum += CrossEntropy(row.Score(w), float64(row.Target))
	}
	return sum / float64(r.Len())
}

// Loss is the sum of the cross-entropies.
func (r *Rows) Loss(w []float64) float64 { return float64(r.Len()) * r.MeanLoss(w) }

// AddSlope adds the derivative of Loss by each weight.
func (r *Rows) AddSlope(w, gradient []float64) {
	for i := range r.ends {
		row := r.At(i)
		miss := Probability(row.Score(w)) - float64(row.Target)
		row.AddGradient(miss/Scale, gradient)
	}
}

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
