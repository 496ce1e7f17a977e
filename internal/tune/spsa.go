package tune

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/carozero/carozero/nn"
)

// The gains of Spall 1998 ("Implementation of the Simultaneous Perturbation Algorithm for
// Stochastic Optimization"), and the share of the trials that is added to the number of
// each in a[k], so that the first ones are not too large.
const (
	alpha     = 0.602
	gamma     = 0.101
	stability = 0.1
)

// pairDeviation is about the standard deviation of a pair's score in -1..1, between
// equals that draw some games.
const pairDeviation = 0.5

// DefaultGain is the Gain that 0 means.
const DefaultGain = 0.25

// spsa is simultaneous perturbation stochastic approximation. In trial k all parameters are
// moved at once, each by c[k] steps up or down at random, d[i] = +1 or -1. A is x + c[k]d,
// B is x - c[k]d, and the score s of A against B, -1..1, estimates the slope along d:
//
//	x[i] += a[k]/(2 c[k]) * s * d[i],   a[k] = a/(A+k+1)^alpha,   c[k] = c/(k+1)^gamma
//
// A is a tenth of the trials. c is such that the last trial perturbs by one step; a is such
// that chance alone moves a parameter by Gain steps at first. The result is the mean of x
// over the last quarter of the trials (Polyak and Juditsky 1992).
type spsa struct {
	*Options
	x         []float64   // steps from the start
	course    [][]float64 // x after each trial
	direction []float64   // +1 or -1, of the next trial
}

func newSPSA(o *Options) (*spsa, error) {
	if len(o.Parameters) == 0 || o.Objective == nil || o.Trials < 1 || o.Pairs < 1 || !(o.Gain >= 0) {
		return nil, errors.New("tuning: want a parameter, an objective, and one trial or more, each of a pair or more")
	}
	for i := range o.Parameters {
		if err := o.Parameters[i].check(); err != nil {
			return nil, err
		}
	}
	if o.Gain == 0 {
		o.Gain = DefaultGain
	}
	s := &spsa{Options: o, x: make([]float64, len(o.Parameters)), direction: make([]float64, len(o.Parameters))}
	s.turn()
	return s, nil
}

// turn draws the direction of the next trial.
func (s *spsa) turn() {
	rng := rand.New(rand.NewPCG(s.Seed, uint64(len(s.course))))
	for i := range s.direction {
		s.direction[i] = float64(int(rng.Uint64()>>63)*2 - 1)
	}
}

// power returns x to the power y, the same bits on every machine.
func power(x, y float64) float64 { return nn.Exp(float64(y * nn.Ln(x))) }

// perturbation returns c[k] in steps.
func (s *spsa) perturbation() float64 {
	return power(float64(s.Trials)/float64(len(s.course)+1), gamma)
}

// rate returns a[k]/(2 c[k]): the steps that a score of 1 is worth.
func (s *spsa) rate() float64 {
	k := float64(len(s.course))
	hold := stability*float64(s.Trials) + 1
	first := s.Gain * math.Sqrt(float64(s.Pairs)) / pairDeviation
	return first * power(hold/(hold+k), alpha) * power(k+1, gamma)
}

// propose returns the values of the next trial, as they are played.
func (s *spsa) propose() (a, b []float64) {
	c := s.perturbation()
	for i := range s.x {
		p, d := &s.Parameters[i], float64(c*s.direction[i])
		a, b = append(a, p.value(s.x[i]+d)), append(b, p.value(s.x[i]-d))
	}
	return a, b
}

// tell takes A's mean score in -1..1 in the trial that propose returned. No parameter moves
// further than it was perturbed.
func (s *spsa) tell(score float64) {
	c := s.perturbation()
	move := min(max(float64(s.rate()*score), -c), c)
	for i := range s.x {
		s.x[i] = s.Parameters[i].clip(s.x[i] + float64(move*s.direction[i]))
	}
	s.course = append(s.course, slices.Clone(s.x))
	s.turn()
}

// best returns the mean of the last quarter, as it is played.
func (s *spsa) best() []float64 {
	best := make([]float64, len(s.x))
	last := s.course[len(s.course)*3/4:]
	for i := range best {
		sum := 0.0
		for _, x := range last {
			sum += x[i]
		}
		best[i] = s.Parameters[i].value(sum / float64(max(1, len(last))))
	}
	return best
}
