package tune

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/carozero/carozero/internal/engine/players"
)

// ParseParameters reads a list of a player's settings as "cpuct,fpu=0.05..0.6/0.05": a
// range after =, a step after /, both as the setting's declaration says where they are
// left out. A setting starts at what the player's description says. Where its 0 stands
// for something else, it keeps the sign of its start.
func ParseParameters(player players.PlayerSpec, list string) ([]Parameter, error) {
	var parameters []Parameter
	for _, item := range strings.Split(list, ",") {
		p, err := parseParameter(player, strings.TrimSpace(item))
		if err == nil {
			err = p.check()
		}
		if err != nil {
			return nil, err
		}
		for _, other := range parameters {
			if other.Name == p.Name {
				return nil, fmt.Errorf("%s is given twice", p.Name)
			}
		}
		parameters = append(parameters, p)
	}
	return parameters, nil
}

func parseParameter(player players.PlayerSpec, item string) (p Parameter, err error) {
	rest, step, stepped := strings.Cut(item, "/")
	key, bounds, ranged := strings.Cut(rest, "=")
	n, err := player.Number(key)
	if err != nil {
		return p, err
	}
	p = Parameter{Name: n.Key, Start: n.Value, Min: n.Min, Max: n.Max, Step: n.Step, Whole: n.Whole}
	if stepped {
		if p.Step, err = parseNumber(step); err != nil {
			return p, fmt.Errorf("%s: step %q: %w", p.Name, step, err)
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
	if !ranged {
		return p, nil
	}
	low, high, two := strings.Cut(bounds, "..")
	least, lowErr := parseNumber(low)
	most, highErr := parseNumber(high)
	if !two || lowErr != nil || highErr != nil {
		return p, fmt.Errorf("%s: range %q: want one as 0.5..3", p.Name, bounds)
	}
	if least < p.Min || most > p.Max {
		return p, fmt.Errorf("%s: range %s: want one within %g..%g", p.Name, bounds, p.Min, p.Max)
	}
	p.Min, p.Max = least, most
	return p, nil
}

func parseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x-x != 0 { // NaN or Inf
		return 0, errors.New("want a number")
	}
	return x, nil
}
