// Package tune finds better values of a player's numeric settings by playing games, with
// SPSA (Spall 1992): each trial moves all settings up or down at random, plays pairs of
// games between the two ways, and follows the better one. A journal keeps every trial; it
// ends as the same bytes whatever the number of workers and however often it is killed.
package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
)

// Objective plays pairs of games between the two settings of a trial and returns the number
// of pairs by A's points: 0, 1/2, 1, 3/2, 2. It is a function of its arguments.
type Objective func(ctx context.Context, r Trial, pairs int) ([5]int, error)

// Trial is some pairs of games of two settings.
type Trial struct {
	Number int       `json:"number"` // from 0
	A      []float64 `json:"a"`
	B      []float64 `json:"b"`
}

// Options describe a tuning.
type Options struct {
	Parameters []Parameter
	Trials     int     // 1 or more
	Pairs      int     // of a trial, 1 or more
	Gain       float64 // steps by which chance alone moves a parameter at first; 0 means DefaultGain
	Seed       uint64
	Objective  Objective

	Setup    []Item // what the tuning depends on; a journal goes on only under the same
	Journal  string // "": none
	Resume   bool   // go on with the journal
	Progress func(done, of int)
}

// Result is what is known of a tuning.
type Result struct {
	Estimates []Estimate
	Trials    int // those that were counted
	Pairs     int // of a trial
}

// Estimate is a parameter with the best value that was found.
type Estimate struct {
	Parameter
	Result float64 `json:"result"`
}

// Item is something that a tuning depends on, in words.
type Item struct {
	What  string `json:"what"`
	Value string `json:"value"`
}

const (
	journalFormat  = "carozero-tune"
	journalVersion = 2
	maxLine        = 1 << 20 // bytes
)

// header is the first line of a journal.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Setup   []Item `json:"setup"`
}

// row is a line of the journal after the first. The rows stand in the order of the work,
// which reads those that are there before it adds any.
type row struct {
	Trial *Trial  `json:"round"`
	Pairs *[5]int `json:"pairs"` // by A's points: 0, 1/2, 1, 3/2, 2
}

// tuning is the state of Run.
type tuning struct {
	Options
	log    *disk.Journal
	method *spsa
	result Result
}

// Run makes the trials. With an error, ctx's included, the result
// covers what was counted, and Run with the same options continues from the journal.
func Run(ctx context.Context, o Options) (Result, error) {
	method, err := newSPSA(&o)
	if err != nil {
		return Result{}, err
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
	t := &tuning{Options: o, method: method, result: Result{Pairs: o.Pairs}}
	journal := disk.JournalKind{
		Name: "the journal of a tuning", Rows: "trials", Format: journalFormat, Version: journalVersion, MaxLine: maxLine,
		Header: header{journalFormat, journalVersion, o.Setup},
	}
	if t.log, err = journal.Open(o.Journal, o.Resume); err != nil {
		err = fmt.Errorf("journal: %w", err)
	} else {
		err = errors.Join(t.run(ctx), t.log.Close())
	}
	for i, best := range method.best() {
		t.result.Estimates = append(t.result.Estimates, Estimate{o.Parameters[i], best})
	}
	return t.result, err
}

func (t *tuning) run(ctx context.Context) error {
	for k := range t.Trials {
		t.Progress(k, t.Trials)
		a, b := t.method.propose()
		pairs, err := t.play(ctx, Trial{Number: k, A: a, B: b})
		if err != nil {
			return err
		}
		t.method.tell(scoreOf(pairs))
		t.result.Trials = k + 1
	}
	more, err := t.log.Next(&row{})
	if err == nil && more {
		err = t.log.Refuse(errors.New("the tuning was over before: want no more lines"))
	}
	return err
}

// play returns the pairs of a trial from the journal, or plays them and keeps them there.
func (t *tuning) play(ctx context.Context, r Trial) ([5]int, error) {
	var known row
	there, err := t.log.Next(&known)
	if err != nil {
		return [5]int{}, err
	}
	if !there {
		pairs, err := t.Objective(ctx, r, t.Pairs)
		if err == nil {
			err = t.log.Append(row{&r, &pairs})
		}
		return pairs, err
	}
	if k := known.Trial; k == nil || known.Pairs == nil || k.Number != r.Number ||
		!slices.Equal(k.A, r.A) || !slices.Equal(k.B, r.B) || total(*known.Pairs) != t.Pairs {
		return [5]int{}, t.log.Refuse(fmt.Errorf("want %d pairs of trial %d, %v against %v", t.Pairs, r.Number, r.A, r.B))
	}
	return *known.Pairs, nil
}

// total returns the number of pairs, -1 if a count is negative.
func total(pairs [5]int) (sum int) {
	for _, n := range pairs {
		if n < 0 {
			return -1
		}
		sum += n
	}
	return sum
}

// scoreOf returns A's mean score in -1..1 of pairs that are counted by A's points.
func scoreOf(pairs [5]int) float64 {
	sum := 0
	for points, count := range pairs {
		sum += (points - 2) * count
	}
	return float64(sum) / float64(2*max(1, total(pairs)))
}

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
