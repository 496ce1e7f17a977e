package tune

import (
	"errors"
	"math"
	"math/rand/v2"

	"github.com/carozero/carozero/internal/support/exactmath"
)

// Trial is a question: by how much is A better than B? Both have a value for each
// parameter, as it is played.
type Trial struct{ A, B []float64 }

// Method looks for the best values. It is a function of its options and of the scores it
// was given.
type Method interface {
	// Propose returns the next trial: the same until Tell is called.
	Propose() Trial

	// Tell takes the result of that trial, A's mean score in -1..1.
	Tell(score float64)

	// Best returns the values that are best after the scores so far, as they are played,
	// and how far each may be off, as [Errors] does.
	Best() (values, bounds []float64)
}

// The exponents of Spall 1998, and the part of the trials that is added to the number
// of each in the gain, so that the first ones are not too large.
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

// SPSAOptions describe an [SPSA].
type SPSAOptions struct {
	Trials int     // how many there will be, 1 or more
	Pairs  int     // of a trial, 1 or more
	Gain   float64 // steps by which chance alone moves a parameter at first; 0 means DefaultGain
	Seed   uint64
}

// SPSA climbs along slopes that it measures in random directions; see the package's
// comment. It implements [Method].
type SPSA struct {
	parameters []Parameter
	opts       SPSAOptions
	x          []float64   // steps from the start
	course     [][]float64 // x after each trial
	direction  []float64   // +1 or -1, of the next trial
	known      []Known
}

// NewSPSA checks the parameters and returns a method that begins at their start.
func NewSPSA(parameters []Parameter, o SPSAOptions) (*SPSA, error) {
	if len(parameters) == 0 {
		return nil, errors.New("nothing to tune: want a parameter or more")
	}
	for i := range parameters {
		if err := parameters[i].check(); err != nil {
			return nil, err
		}
	}
	if o.Trials < 1 || o.Pairs < 1 || !(o.Gain >= 0) {
		return nil, errors.New("want one trial or more, each of a pair or more, and no negative gain")
	}
	if o.Gain == 0 {
		o.Gain = DefaultGain
	}
	s := &SPSA{parameters: parameters, opts: o, x: make([]float64, len(parameters)), direction: make([]float64, len(parameters))}
	s.turn()
	return s, nil
}

// turn draws the direction of the next trial.
func (s *SPSA) turn() {
	rng := rand.New(rand.NewPCG(s.opts.Seed, uint64(len(s.course))))
	for i := range s.direction {
		s.direction[i] = float64(int(rng.Uint64()>>63)*2 - 1)
	}
}

// power returns x to the power y, the same bits on every machine.
func power(x, y float64) float64 { return exactmath.Exp(float64(y * exactmath.Ln(x))) }

// perturbation returns c[k] in steps: 1 in the last trial.
func (s *SPSA) perturbation() float64 {
	return power(float64(s.opts.Trials)/float64(len(s.course)+1), gamma)
}

// rate returns a[k]/(2 c[k]): the steps that a score of 1 is worth.
func (s *SPSA) rate() float64 {
	k := float64(len(s.course))
	hold := stability*float64(s.opts.Trials) + 1
	first := s.opts.Gain * math.Sqrt(float64(s.opts.Pairs)) / pairDeviation
	return first * power(hold/(hold+k), alpha) * power(k+1, gamma)
}

// Propose implements [Method].
func (s *SPSA) Propose() Trial {
	c := s.perturbation()
	t := Trial{A: make([]float64, len(s.x)), B: make([]float64, len(s.x))}
	for i := range s.x {
		p, d := &s.parameters[i], float64(c*s.direction[i])
		t.A[i], t.B[i] = p.value(s.x[i]+d), p.value(s.x[i]-d)
	}
	return t
}

// Tell implements [Method]. No parameter moves further than it was perturbed.
func (s *SPSA) Tell(score float64) {
	s.known = append(s.known, Known{s.Propose(), score})
	c := s.perturbation()
	move := min(max(float64(s.rate()*score), -c), c)
	for i := range s.x {
		s.x[i] = s.parameters[i].clip(s.x[i] + float64(move*s.direction[i]))
	}
	s.course = append(s.course, append([]float64(nil), s.x...))
	s.turn()
}

// Best implements [Method]: the mean of the last quarter.
func (s *SPSA) Best() (values, bounds []float64) {
	best := make([]float64, len(s.x))
	last := s.course[len(s.course)*3/4:]
	for i := range best {
		sum := 0.0
		for _, x := range last {
			sum += x[i]
		}
		best[i] = s.parameters[i].value(sum / float64(max(1, len(last))))
	}
	return best, Errors(s.parameters, s.known, best)
}
