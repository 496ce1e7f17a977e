package tune

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/carozero/carozero/internal/support/exactmath"
)

// CLOPOptions describe a [CLOP].
type CLOPOptions struct {
	Pairs int // of a trial, 1 or more
	Seed  uint64
}

// CLOP plays samples against the start, fits a quadratic function to their results, and
// samples on where that is not confidently below the mean; see the package's comment. It
// implements [Method].
type CLOP struct {
	parameters []Parameter
	opts       CLOPOptions
	x          []float64 // of the next trial, each within -1..1 of its range
	trial      Trial
	known      []Known
	samples    []sample
	weights    []float64
	layers     []layer // what the weights were made of
	fitted     int     // the number of samples that layers were fitted to
}

// layer is one of the fits of which each discards what is confidently below the mean of
// what those before it left: log of its weights is (q(x)-mean)/scale.
type layer struct {
	q           quadratic
	mean, scale float64
}

// MostCLOP is how many parameters a [CLOP] tunes at most.
const MostCLOP = 6

// mostRange is how many steps the range of a parameter may have, all of which is sampled.
const mostRange = 200

// Of the algorithm: how many deviations of the mean below it a function must be for the
// weight to fall by e (the paper's H); the share of its weight that a fit must take from
// the samples for another to follow, and how many follow at most; how often each
// coordinate of the next sample is drawn, out of how many cells of its range.
const (
	localization = 3
	settled      = 0.01
	mostLayers   = 50
	sweeps       = 5
	cells        = 64
)

// refit is the part by which the samples must have grown for them to be fitted again.
const refit = 1.0 / 32

// NewCLOP checks the parameters and returns a method that knows nothing yet.
func NewCLOP(parameters []Parameter, o CLOPOptions) (*CLOP, error) {
	if n := len(parameters); n == 0 || n > MostCLOP {
		return nil, fmt.Errorf("%d settings: clop tunes 1 to %d; for more use spsa", n, MostCLOP)
	}
	for i := range parameters {
		p := &parameters[i]
		if err := p.check(); err != nil {
			return nil, err
		}
		if steps := (p.Max - p.Min) / p.Step; steps > mostRange {
			return nil, fmt.Errorf("%s: clop samples all of its range, %g..%g: want one of %d steps of %g or fewer; or use spsa", p.Name, p.Min, p.Max, mostRange, p.Step)
		}
	}
	if o.Pairs < 1 {
		return nil, errors.New("want trials of a pair or more")
	}
	return newCLOP(parameters, o), nil
}

func newCLOP(parameters []Parameter, o CLOPOptions) *CLOP {
	c := &CLOP{parameters: parameters, opts: o, x: make([]float64, len(parameters))}
	c.draw()
	return c
}

// Propose implements [Method].
func (c *CLOP) Propose() Trial { return c.trial }

// Tell implements [Method].
func (c *CLOP) Tell(score float64) {
	c.known = append(c.known, Known{c.trial, score})
	s := sample{games: float64(2 * c.opts.Pairs), won: (1 + score) / 2}
	for i := range c.parameters {
		s.x = append(s.x, c.parameters[i].share(c.trial.A[i]))
	}
	s.terms = appendTerms(nil, s.x)
	c.samples, c.weights = append(c.samples, s), append(c.weights, 0)
	if n := len(c.samples); float64(n-c.fitted) >= float64(c.fitted)*refit {
		c.fit()
	} else {
		c.weights[n-1] = c.weight(s.terms)
	}
	c.draw()
}

// fit makes the layers, and the weights of all samples.
func (c *CLOP) fit() {
	c.layers, c.fitted = c.layers[:0], len(c.samples)
	sum := 0.0
	for i := range c.weights {
		c.weights[i] = 1
		sum++
	}
	var q, constant quadratic
	for range mostLayers {
		var deviation float64
		q, _ = fitLogistic(c.samples, c.weights, quadraticTerms(len(c.parameters)), q)
		constant, deviation = fitLogistic(c.samples, c.weights, 1, constant)
		l := layer{q, constant[0], localization * deviation}
		c.layers = append(c.layers, l)
		before := sum
		sum = 0
		for i := range c.samples {
			c.weights[i] = min(c.weights[i], exactmath.Exp(min(0, l.height(c.samples[i].terms))))
			sum += c.weights[i]
		}
		if sum > (1-settled)*before {
			return
		}
	}
}

// height returns the logarithm of the weight that a layer gives where terms have these
// values; more than 0 counts as 0.
func (l *layer) height(terms []float64) float64 { return (l.q.of(terms) - l.mean) / l.scale }

// weight returns the weight of a sample, by all layers.
func (c *CLOP) weight(terms []float64) float64 {
	least := 0.0
	for i := range c.layers {
		least = min(least, c.layers[i].height(terms))
	}
	return exactmath.Exp(least)
}

// draw draws the next trial: a point of the range, with a probability in proportion to
// the weight there, against the start. Each coordinate in turn is drawn under the
// condition of the others (Gibbs sampling), from the last sample on.
func (c *CLOP) draw() {
	rng := rand.New(rand.NewPCG(c.opts.Seed, uint64(len(c.samples))))
	for range sweeps {
		for i := range c.x {
			c.drawCoordinate(i, rng)
		}
	}
	c.trial = Trial{A: make([]float64, len(c.x)), B: make([]float64, len(c.x))}
	for i := range c.x {
		p := &c.parameters[i]
		middle := (p.steps(p.Min) + p.steps(p.Max)) / 2
		c.trial.A[i], c.trial.B[i] = p.value(middle+float64(c.x[i]*(p.steps(p.Max)-middle))), p.Start
	}
}

// drawCoordinate draws x[i] from the cells of its range, and a place within the cell.
func (c *CLOP) drawCoordinate(i int, rng *rand.Rand) {
	var heights [cells]float64
	terms := make([]float64, 0, quadraticTerms(len(c.x)))
	highest := math.Inf(-1)
	for k := range heights {
		c.x[i] = (float64(k)+0.5)*2/cells - 1
		terms = appendTerms(terms[:0], c.x)
		for j := range c.layers {
			heights[k] = min(heights[k], c.layers[j].height(terms))
		}
		highest = max(highest, heights[k])
	}
	sum := 0.0
	for k, h := range heights {
		heights[k] = exactmath.Exp(h - highest)
		sum += heights[k]
	}
	left, cell := float64(rng.Float64()*sum), 0
	for cell < cells-1 && left >= heights[cell] {
		left -= heights[cell]
		cell++
	}
	c.x[i] = (float64(cell)+rng.Float64())*2/cells - 1
}

// Best implements [Method]: the mean of the samples by their weights. To the errors that
// the trials tell, the samples' standard deviation by their weights is added, as squares:
// the parabola of all trials may have its top elsewhere than the function has.
func (c *CLOP) Best() (values, bounds []float64) {
	values = make([]float64, len(c.parameters))
	spreads := make([]float64, len(c.parameters))
	for i := range values {
		p := &c.parameters[i]
		count, sum, squares := 0.0, 0.0, 0.0
		for k, w := range c.weights {
			x := p.steps(c.known[k].Trial.A[i])
			count += w
			sum += float64(w * x)
			squares += float64(w * x * x)
		}
		mean := sum / max(count, 1e-300)
		values[i] = p.value(mean)
		spreads[i] = math.Sqrt(max(0, squares/max(count, 1e-300)-float64(mean*mean))) * p.Step
	}
	bounds = Errors(c.parameters, c.known, values)
	for i := range bounds {
		bounds[i] = math.Hypot(bounds[i], spreads[i])
	}
	return values, bounds
}
