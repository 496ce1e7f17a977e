package fit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/optimize"

	"github.com/carozero/carozero/game"
)

// objective is the negative logarithm of the posterior of the weights, up to a
// constant, as a function of the x of the prior:
//
//	loss of the rows + sum over k of x[k]^2 / 2
//
// It is strictly convex, so that there is one minimum (Bishop, Pattern
// Recognition and Machine Learning, 2006, section 4.5.1).
type objective struct {
	rows     Rows
	prior    Prior
	weights  []float64 // of the point last asked for
	gradient []float64 // of the loss, by weight
}

func newObjective(rows Rows, prior Prior) *objective {
	return &objective{rows, prior, make([]float64, len(prior.Mean)), make([]float64, len(prior.Mean))}
}

// value returns the objective at x.
func (o *objective) value(x []float64) float64 {
	o.prior.Weights(o.weights, x)
	sum := o.rows.Loss(o.weights)
	for _, v := range x {
		sum += v * v / 2
	}
	return sum
}

// slope writes the gradient at x to g.
func (o *objective) slope(g, x []float64) {
	o.prior.Weights(o.weights, x)
	clear(o.gradient)
	o.rows.AddSlope(o.weights, o.gradient)
	for k, factor := range o.prior.Factors {
		g[k] = x[k]
		for _, l := range factor {
			g[k] += l.Amount * o.gradient[l.Weight]
		}
	}
}

// maxIterations ends a minimisation that goes on improving by next to nothing.
const maxIterations = 500

// minimise returns the most probable weights given the rows and the prior, by L-BFGS
// from the mean, and the context's error if it ends before that.
func minimise(ctx context.Context, rows Rows, prior Prior) ([]float64, error) {
	o := newObjective(rows, prior)
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

// counter adds up what an evaluation tells of a position, feature by feature, into the
// terms of a row. The zero value is ready. It belongs to one goroutine.
type counter struct {
	counts  []int16  // by feature; all 0 between two rows
	touched []uint16 // the features that were told, each at least once, in order
}

// count adds n to a feature.
func (c *counter) count(feature, n int) {
	for feature >= len(c.counts) {
		c.counts = append(c.counts, 0)
	}
	if c.counts[feature] == 0 {
		c.touched = append(c.touched, uint16(feature))
	}
	c.counts[feature] += int16(n)
}

// take returns what has been counted since the last call, a term for each feature whose
// counts do not add up to 0, in the order in which they were first counted.
func (c *counter) take() []Term {
	terms := make([]Term, 0, len(c.touched))
	for _, f := range c.touched {
		if n := c.counts[f]; n != 0 {
			terms = append(terms, Term{Feature: f, Count: n})
			c.counts[f] = 0
		}
	}
	c.touched = c.touched[:0]
	return terms
}

// row returns the row of a position in a game with that outcome.
func (c *counter) row(g Game, pos game.Position, o game.Outcome) Row {
	phase := g.Features(pos, c.count)
	return Row{Terms: c.take(), Phase: phase, Target: float32(1+o.Value(pos.ToMove())) / 2}
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

// priorBuilder is a Prior in the making.
type priorBuilder struct {
	Prior
	spread float64
}

func newPrior(mean []float64, spread float64) *priorBuilder {
	return &priorBuilder{Prior: Prior{Mean: mean}, spread: spread}
}

// member is a feature of a factor.
type member struct {
	feature int
	amount  float64
}

// lateShare is the deviation of the difference between the end and the beginning of a game,
// in parts of that of both.
const lateShare = 0.5

// add adds two factors for some features: one for both weights of each, one that moves them
// apart.
func (p *priorBuilder) add(members []member) {
	half := len(p.Mean) / 2
	both, apart := make([]Load, 0, 2*len(members)), make([]Load, 0, 2*len(members))
	for _, m := range members {
		a := p.spread * m.amount
		early, late := m.feature, half+m.feature
		both = append(both, Load{Weight: early, Amount: a}, Load{Weight: late, Amount: a})
		apart = append(apart, Load{Weight: early, Amount: -lateShare * a}, Load{Weight: late, Amount: lateShare * a})
	}
	p.Factors = append(p.Factors, both, apart)
}

// together is add for features that stray by the same deviation.
func (p *priorBuilder) together(deviation float64, features ...int) {
	members := make([]member, len(features))
	for i, f := range features {
		members[i] = member{f, deviation}
	}
	p.add(members)
}

// groups collects the features that have something in common, in the order in
// which it is first met. What a feature has several times counts as often.
type groups[K comparable] struct {
	list [][]member
	at   map[K]int
}

func newGroups[K comparable]() *groups[K] { return &groups[K]{at: map[K]int{}} }

func (g *groups[K]) add(key K, feature int, amount float64) {
	i, known := g.at[key]
	if !known {
		i = len(g.list)
		g.at[key] = i
		g.list = append(g.list, nil)
	}
	if last := len(g.list[i]) - 1; last >= 0 && g.list[i][last].feature == feature {
		g.list[i][last].amount += amount
		return
	}
	g.list[i] = append(g.list[i], member{feature, amount})
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

// Rows are positions.
type Rows []Row

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

// crossEntropy returns -target*log(p) - (1-target)*log(1-p) for the
// probability p of a score, in nats, without losing digits where p is near to 0
// or 1.
func crossEntropy(score, target float64) float64 {
	x := score / Scale
	return math.Max(x, 0) - target*x + math.Log1p(math.Exp(-math.Abs(x)))
}

// MeanLoss returns the mean cross-entropy of the rows under weights, in nats; 0 without rows.
// Guessing 0.5 everywhere costs log 2 = 0.693.
func (r Rows) MeanLoss(w []float64) float64 {
	if len(r) == 0 {
		return 0
	}
	sum := 0.0
	for i := range r {
		sum += crossEntropy(r[i].Score(w), float64(r[i].Target))
	}
	return sum / float64(len(r))
}

// Loss is the sum of the cross-entropies.
func (r Rows) Loss(w []float64) float64 { return float64(len(r)) * r.MeanLoss(w) }

// AddSlope adds the derivative of Loss by each weight.
func (r Rows) AddSlope(w, gradient []float64) {
	for i := range r {
		miss := Probability(r[i].Score(w)) - float64(r[i].Target)
		r[i].AddGradient(miss/Scale, gradient)
	}
}

// Factors that bestFactor looks between.
const (
	leastScale = 0.05
	mostScale  = 20
)

// bestFactor returns the factor for scores under which targets have the smallest loss, by
// golden section (Kiefer, Sequential minimax search for a maximum, 1953) to a thousandth of its
// logarithm, in which the loss is convex.
func bestFactor(scores []float64, targets []float32) float64 {
	loss := func(logarithm float64) float64 {
		factor, sum := math.Exp(logarithm), 0.0
		for i, s := range scores {
			sum += crossEntropy(factor*s, float64(targets[i]))
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
