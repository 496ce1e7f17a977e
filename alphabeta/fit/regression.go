package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"

	"github.com/carozero/carozero/game"
)

// posterior returns the problem of minimising the negative logarithm of the posterior of the
// weights, up to a constant, as a function of the x of the prior:
//
//	loss of the rows + sum over k of x[k]^2 / 2
//
// It is strictly convex, so that there is one minimum (Bishop, Pattern
// Recognition and Machine Learning, 2006, section 4.5.1).
func posterior(rows Rows, prior Prior) optimize.Problem {
	return optimize.Problem{
		Func: func(x []float64) float64 {
			sum := float64(len(rows)) * rows.MeanLoss(prior.Weights(x))
			for _, v := range x {
				sum += v * v / 2
			}
			return sum
		},
		Grad: func(slope, x []float64) {
			w, gradient := prior.Weights(x), make([]float64, len(prior.Mean))
			for i := range rows {
				miss := Probability(rows[i].Score(w)) - float64(rows[i].Target)
				rows[i].AddGradient(miss/Scale, gradient)
			}
			copy(slope, x)
			prior.AddSlope(slope, gradient)
		},
	}
}

// maxIterations ends a minimisation that goes on improving by next to nothing.
const maxIterations = 500

// minimise returns the most probable weights given the rows and the prior, by L-BFGS
// from the mean, and the context's error if it ends before that.
func minimise(ctx context.Context, rows Rows, prior Prior) ([]float64, error) {
	problem := posterior(rows, prior)
	problem.Status = func() (optimize.Status, error) { return optimize.NotTerminated, ctx.Err() }
	settings := &optimize.Settings{
		GradientThreshold: 1e-4,
		MajorIterations:   maxIterations,
		Converger:         &optimize.FunctionConverge{Relative: 1e-9, Iterations: 10},
	}
	// Near the minimum a line search may fail for want of digits.
	result, err := optimize.Minimize(problem, make([]float64, len(prior.Factors)), settings, &optimize.LBFGS{})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if result == nil || (err != nil && !errors.Is(err, optimize.ErrLinesearcherFailure)) {
		return nil, fmt.Errorf("minimising: %w", err)
	}
	return prior.Weights(result.X), nil
}

// newRow returns the row of a position in a game with that outcome. Its terms are in the order
// in which the evaluation first counts their features.
func newRow(g Game, pos game.Position, o game.Outcome) Row {
	var terms []Term
	phase := g.Features(pos, func(feature, n int) {
		i := slices.IndexFunc(terms, func(t Term) bool { return int(t.Feature) == feature })
		if i < 0 {
			i, terms = len(terms), append(terms, Term{Feature: uint16(feature)})
		}
		terms[i].Count += int16(n)
	})
	terms = slices.DeleteFunc(terms, func(t Term) bool { return t.Count == 0 })
	return Row{Terms: slices.Clone(terms), Phase: phase, Target: float32(1+o.Value(pos.ToMove())) / 2}
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

// Weights returns the weights at x.
func (p *Prior) Weights(x []float64) []float64 {
	w := slices.Clone(p.Mean)
	for k, factor := range p.Factors {
		for _, l := range factor {
			w[l.Weight] += x[k] * l.Amount
		}
	}
	return w
}

// AddSlope adds the derivative by each x of what has this gradient by each weight.
func (p *Prior) AddSlope(slope, gradient []float64) {
	for k, factor := range p.Factors {
		for _, l := range factor {
			slope[k] += float64(l.Amount * gradient[l.Weight])
		}
	}
}

// lateShare is the deviation of the difference between the end and the beginning of a game,
// in parts of that of both.
const lateShare = 0.5

// add adds two factors for some features, given as loads of their weights of the beginning:
// one for both weights of each, one that moves them apart.
func (p *Prior) add(features []Load) {
	half := len(p.Mean) / 2
	var both, apart []Load
	for _, l := range features {
		late := Load{half + l.Weight, l.Amount}
		both = append(both, l, late)
		apart = append(apart, Load{l.Weight, -lateShare * l.Amount}, Load{late.Weight, lateShare * l.Amount})
	}
	p.Factors = append(p.Factors, both, apart)
}

// together is add for features that stray by the same deviation.
func (p *Prior) together(deviation float64, features ...int) {
	loads := make([]Load, len(features))
	for i, f := range features {
		loads[i] = Load{f, deviation}
	}
	p.add(loads)
}

// spread multiplies all deviations.
func (p *Prior) spread(by float64) {
	for _, factor := range p.Factors {
		for i := range factor {
			factor[i].Amount *= by
		}
	}
}

// groups collects the features that have something in common, in the order in
// which it is first met. What a feature has several times counts as often.
type groups[K comparable] struct {
	keys  []K
	loads map[K][]Load
}

func newGroups[K comparable]() *groups[K] { return &groups[K]{loads: map[K][]Load{}} }

func (g *groups[K]) add(key K, feature int, deviation float64) {
	list := g.loads[key]
	if list == nil {
		g.keys = append(g.keys, key)
	}
	if last := len(list) - 1; last >= 0 && list[last].Weight == feature {
		list[last].Amount += deviation
		return
	}
	g.loads[key] = append(list, Load{feature, deviation})
}

// addTo has the features of each group stray together.
func (g *groups[K]) addTo(p *Prior) {
	for _, key := range g.keys {
		p.add(g.loads[key])
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
	for high-low > 1e-3 {
		a, b := high-golden*(high-low), low+golden*(high-low)
		if loss(a) < loss(b) {
			high = b
		} else {
			low = a
		}
	}
	return math.Exp((low + high) / 2)
}
