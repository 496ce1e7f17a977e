package tune

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/alphabeta/shift"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/players"
)

// ParseParameters reads a list of a player's settings as "cpuct,fpu=0.05..0.6/0.05": a
// range after =, a step after /, both as the setting's declaration says where they are
// left out. A setting starts at what the player's description says. Where its 0 stands
// for something else, it keeps the sign of its start.
//
// "weight:own.*=-50..50/4" stands for all weights of the evaluation whose names match the
// pattern, each as its difference from the usual value. Techniques and weights are those of
// the variants' game.
func ParseParameters(player players.PlayerSpec, variants []games.Variant, list string) ([]Parameter, error) {
	var parameters []Parameter
	for _, item := range strings.Split(list, ",") {
		add, err := parseItem(player, variants, strings.TrimSpace(item))
		if err != nil {
			return nil, err
		}
		for _, p := range add {
			if err := p.check(); err != nil {
				return nil, err
			}
			if slices.ContainsFunc(parameters, func(other Parameter) bool { return other.Name == p.Name }) {
				return nil, fmt.Errorf("%s is given twice", p.Name)
			}
			parameters = append(parameters, p)
		}
	}
	return parameters, nil
}

// parseItem reads an item of the list, which may stand for many weights.
func parseItem(player players.PlayerSpec, variants []games.Variant, item string) ([]Parameter, error) {
	rest, step, stepped := strings.Cut(item, "/")
	key, bounds, ranged := strings.Cut(rest, "=")
	var list []Parameter
	var err error
	if pattern, ok := strings.CutPrefix(key, weightPrefix); ok {
		list, err = weights(player, variants, pattern)
	} else {
		var p Parameter
		p, err = setting(player, variants[0], key, step)
		list = []Parameter{p}
	}
	if err != nil {
		return nil, err
	}
	for i := range list {
		p := &list[i]
		if stepped {
			if p.Step, err = parseNumber(step); err != nil {
				return nil, fmt.Errorf("%s: step %q: %w", p.Name, step, err)
			}
		}
		if ranged {
			if err := p.narrow(bounds); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// setting returns a setting as it is declared, with the step of the list if there is one.
func setting(player players.PlayerSpec, v games.Variant, key, step string) (p Parameter, err error) {
	n, err := player.Number(key, v)
	if err != nil {
		return p, err
	}
	p = Parameter{Name: n.Key, Start: n.Value, Min: n.Min, Max: n.Max, Step: n.Step, Whole: n.Whole}
	if given, err := parseNumber(step); err == nil {
		p.Step = given
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
	return p, nil
}

// Weights of the evaluation, in units of score: how their parameters are called, how far
// they may go, and their step.
const (
	weightPrefix = "weight:"
	weightMost   = 1000
	weightStep   = 10
)

// weights returns a parameter for each weight that matches a pattern. It must be a weight
// of all variants.
func weights(player players.PlayerSpec, variants []games.Variant, pattern string) ([]Parameter, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, fmt.Errorf("%s%s: want a pattern with * and ?, as in %sown.*", weightPrefix, pattern, weightPrefix)
	}
	var list []Parameter
	for _, name := range variants[0].WeightNames() {
		if ok, _ := path.Match(pattern, name); !ok {
			continue
		}
		if slices.ContainsFunc(variants[1:], func(v games.Variant) bool { return !slices.Contains(v.WeightNames(), name) }) {
			continue
		}
		by, err := player.Shifted(name)
		if err != nil {
			return nil, err
		}
		list = append(list, Parameter{Name: weightPrefix + name, Start: float64(by), Min: -weightMost, Max: weightMost, Step: weightStep, Whole: true})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s%s: no weight has such a name: want some of %s", weightPrefix, pattern, kinds(variants[0].WeightNames()))
	}
	return list, nil
}

// kinds returns the weights' names up to the first dot, as patterns.
func kinds(names []string) string {
	var list []string
	for _, name := range names {
		kind, _, _ := strings.Cut(name, ".")
		if kind += ".*"; !slices.Contains(list, kind) {
			list = append(list, kind)
		}
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, " ")
}

// with returns the player with values of the parameters, each as it is played.
func with(player players.PlayerSpec, parameters []Parameter, values []float64) (players.PlayerSpec, error) {
	var shifts shift.Shifts
	for i := range parameters {
		p := &parameters[i]
		if weight, ok := strings.CutPrefix(p.Name, weightPrefix); ok {
			shifts = append(shifts, shift.Shift{Weight: weight, By: int(values[i])})
			continue
		}
		var err error
		if player, err = player.With(p.Name, p.format(values[i])); err != nil {
			return player, err
		}
	}
	if len(shifts) == 0 {
		return player, nil
	}
	return player.Shift(shifts)
}

// Tuned returns the player with the results of a tuning.
func Tuned(player players.PlayerSpec, estimates []Estimate) (players.PlayerSpec, error) {
	parameters, values := make([]Parameter, len(estimates)), make([]float64, len(estimates))
	for i, e := range estimates {
		parameters[i], values[i] = e.Parameter, e.Result
	}
	return with(player, parameters, values)
}

// narrow sets the range to one such as 0.5..3 within it.
func (p *Parameter) narrow(bounds string) error {
	low, high, two := strings.Cut(bounds, "..")
	least, lowErr := parseNumber(low)
	most, highErr := parseNumber(high)
	if !two || lowErr != nil || highErr != nil {
		return fmt.Errorf("%s: range %q: want one as 0.5..3", p.Name, bounds)
	}
	if least < p.Min || most > p.Max {
		return fmt.Errorf("%s: range %s: want one within %s..%s", p.Name, bounds, number(p.Min), number(p.Max))
	}
	p.Min, p.Max = least, most
	return nil
}

func parseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x-x != 0 { // NaN or Inf
		return 0, errors.New("want a number")
	}
	return x, nil
}
