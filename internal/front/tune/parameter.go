package tune

import (
	"fmt"
	"math"

	"github.com/carozero/carozero/internal/support/option"
)

// Parameter is a number that is tuned.
type Parameter struct {
	Name  string  `json:"name"`
	Start float64 `json:"start"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Step  float64 `json:"step"` // how far apart two values are that are worth telling apart
	Whole bool    `json:"whole,omitempty"`
}

// finest is how many steps a range may have: values, 20 or more to a step, must be far
// enough apart to be told by their decimals.
const finest = 1e9

// check returns what is wrong with the parameter.
func (p *Parameter) check() error {
	switch {
	case !(p.Min < p.Max) || math.IsInf(p.Min, 0) || math.IsInf(p.Max, 0):
		return fmt.Errorf("%s: range %g..%g: want two numbers, the smaller first", p.Name, p.Min, p.Max)
	case !(p.Start >= p.Min && p.Start <= p.Max):
		return fmt.Errorf("%s: starts at %g: want a start in its range, %g..%g", p.Name, p.Start, p.Min, p.Max)
	case !(p.Step > 0 && p.Step <= p.Max-p.Min):
		return fmt.Errorf("%s: step %g: want one over 0 and within the range, %g..%g", p.Name, p.Step, p.Min, p.Max)
	case p.Whole && (p.Min != math.Trunc(p.Min) || p.Max != math.Trunc(p.Max)):
		return fmt.Errorf("%s: range %g..%g: want whole numbers", p.Name, p.Min, p.Max)
	case p.Whole && (p.Step < 1 || p.Step != math.Trunc(p.Step)):
		return fmt.Errorf("%s: step %g: want a whole number", p.Name, p.Step)
	case !(p.Step >= (p.Max-p.Min)/finest):
		return fmt.Errorf("%s: step %g: want %.1g or more, for the range %.4g..%.4g", p.Name, p.Step, (p.Max-p.Min)/finest, p.Min, p.Max)
	}
	return nil
}

// value returns what is played at x steps from the start: within the range, and a
// whole number or one on a grid of decimals, at least 20 to a step.
func (p *Parameter) value(x float64) float64 {
	v := p.Start + float64(x*p.Step)
	grid := 1.0
	if !p.Whole {
		grid = gridOf(p.Step)
	}
	if grid < 1 {
		fine := math.Round(1 / grid)
		v = math.Round(v*fine) / fine
	} else {
		v = math.Round(v/grid) * grid
	}
	return 0 + min(max(v, p.Min), p.Max) // never -0
}

// format writes a value that is played.
func (p *Parameter) format(value float64) string {
	return option.Scale{Whole: p.Whole}.Format(value)
}

// gridOf returns the largest power of ten that is at most a twentieth of a step, and not
// less than 1e-300.
func gridOf(step float64) float64 {
	grid := 1.0
	for grid > max(step/20, 1e-300) {
		grid /= 10
	}
	for grid*10 <= step/20 {
		grid *= 10
	}
	return grid
}

// steps returns how many steps a value is from the start.
func (p *Parameter) steps(value float64) float64 { return (value - p.Start) / p.Step }

// share returns where a value is in the range, -1..1.
func (p *Parameter) share(value float64) float64 {
	return (value-p.Min)/(p.Max-p.Min)*2 - 1
}

// clip returns x moved into the range.
func (p *Parameter) clip(x float64) float64 {
	return min(max(x, p.steps(p.Min)), p.steps(p.Max))
}
