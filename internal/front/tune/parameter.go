package tune

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/support/option"
)

// Parameter is a number that is tuned. Methods count in steps: x steps are the value
// Start + x*Step.
type Parameter struct {
	Name  string  `json:"name"`
	Start float64 `json:"start"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	Step  float64 `json:"step"` // how far apart two values are that are worth telling apart
	Whole bool    `json:"whole,omitempty"`
}

// maxSteps is how many steps a range may have: values, 20 or more to a step, must be far
// enough apart to be told by their decimals.
const maxSteps = 1e9

// check returns what is wrong with the parameter.
func (p *Parameter) check() error {
	switch {
	case !(p.Min < p.Max) || math.IsInf(p.Min, 0) || math.IsInf(p.Max, 0):
		return fmt.Errorf("%s: range %g..%g: want two numbers, the smaller first", p.Name, p.Min, p.Max)
	case !(p.Start >= p.Min && p.Start <= p.Max):
		return fmt.Errorf("%s: starts at %g: want a start in its range, %g..%g", p.Name, p.Start, p.Min, p.Max)
	case !(p.Step >= (p.Max-p.Min)/maxSteps && p.Step <= p.Max-p.Min):
		return fmt.Errorf("%s: step %g: want one within %g..%g", p.Name, p.Step, (p.Max-p.Min)/maxSteps, p.Max-p.Min)
	case p.Whole && (p.Min != math.Trunc(p.Min) || p.Max != math.Trunc(p.Max) || p.Step != math.Trunc(p.Step)):
		return fmt.Errorf("%s: range %g..%g, step %g: want whole numbers", p.Name, p.Min, p.Max, p.Step)
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

// clip returns x, in steps from the start, moved into the range.
func (p *Parameter) clip(x float64) float64 {
	return min(max(x, (p.Min-p.Start)/p.Step), (p.Max-p.Start)/p.Step)
}

// ParseParameters reads a list of a player's settings as "cpuct,fpu=0.05..0.6/0.05": a
// range after =, a step after /, both as the setting's declaration says where they are
// left out. A setting starts at what the player's description says. Where its 0 stands
// for something else, it keeps the sign of its start.
func ParseParameters(player players.PlayerSpec, v games.Variant, list string) ([]Parameter, error) {
	var parameters []Parameter
	for _, item := range strings.Split(list, ",") {
		p, err := parseParameter(player, v, strings.TrimSpace(item))
		if err == nil {
			err = p.check()
		}
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(parameters, func(other Parameter) bool { return other.Name == p.Name }) {
			return nil, fmt.Errorf("%s is given twice", p.Name)
		}
		parameters = append(parameters, p)
	}
	return parameters, nil
}

func parseParameter(player players.PlayerSpec, v games.Variant, item string) (p Parameter, err error) {
	rest, step, stepped := strings.Cut(item, "/")
	key, bounds, ranged := strings.Cut(rest, "=")
	n, err := player.Number(key, v)
	if err != nil {
		return p, err
	}
	p = Parameter{Name: n.Key, Start: n.Value, Min: n.Min, Max: n.Max, Step: n.Step, Whole: n.Whole}
	if stepped {
		if p.Step, err = strconv.ParseFloat(step, 64); err != nil || p.Step-p.Step != 0 {
			return p, fmt.Errorf("%s: step %q: want a number", p.Name, step)
		}
	}
	if n.Special && p.Step > 0 {
		least := gridOf(p.Step)
		if p.Whole {
			least = 1
		}
		if p.Start > 0 {
			p.Min = max(p.Min, least)
		} else {
			p.Max = min(p.Max, -least)
		}
	}
	if ranged {
		low, high, two := strings.Cut(bounds, "..")
		least, lowErr := strconv.ParseFloat(low, 64)
		most, highErr := strconv.ParseFloat(high, 64)
		switch {
		case !two || lowErr != nil || highErr != nil:
			return p, fmt.Errorf("%s: range %q: want one as 0.5..3", p.Name, bounds)
		case !(least >= p.Min && most <= p.Max):
			return p, fmt.Errorf("%s: range %s: want one within %s..%s", p.Name, bounds, number(p.Min), number(p.Max))
		}
		p.Min, p.Max = least, most
	}
	return p, nil
}

// with returns the player with values of the parameters, each as it is played.
func with(player players.PlayerSpec, parameters []Parameter, values []float64) (players.PlayerSpec, error) {
	var err error
	for i, p := range parameters {
		if player, err = player.With(p.Name, option.Scale{Whole: p.Whole}.Format(values[i])); err != nil {
			return player, err
		}
	}
	return player, nil
}

// Tuned returns the player with the results of a tuning.
func Tuned(player players.PlayerSpec, estimates []Estimate) (players.PlayerSpec, error) {
	parameters, values := make([]Parameter, len(estimates)), make([]float64, len(estimates))
	for i, e := range estimates {
		parameters[i], values[i] = e.Parameter, e.Result
	}
	return with(player, parameters, values)
}

// number formats a value with all its digits.
func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
