package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/option"
)

// technique is a field of alphabeta.Options that a player's description can
// set: a switch to on or off, a number to that number or off.
type technique struct {
	key   string
	field func(*alphabeta.Options) any // *alphabeta.Switch, *int or *alphabeta.Score
}

// techniques are all that a description can set.
var techniques = []technique{
	{"scout", func(o *alphabeta.Options) any { return &o.Scout }},
	{"aspiration", func(o *alphabeta.Options) any { return &o.Aspiration }},
	{"history", func(o *alphabeta.Options) any { return &o.History }},
	{"continuation", func(o *alphabeta.Options) any { return &o.Continuation }},
	{"improving", func(o *alphabeta.Options) any { return &o.Improving }},
	{"iir", func(o *alphabeta.Options) any { return &o.InternalReduction }},
	{"lmr", func(o *alphabeta.Options) any { return &o.LateMoves }},
	{"lmp", func(o *alphabeta.Options) any { return &o.LatePruning }},
	{"prior", func(o *alphabeta.Options) any { return &o.PriorDepth }},
	{"priorlmr", func(o *alphabeta.Options) any { return &o.PriorReduction }},
	{"rfp", func(o *alphabeta.Options) any { return &o.ReverseFutility }},
	{"threats", func(o *alphabeta.Options) any { return &o.Threats }},
	{"extensions", func(o *alphabeta.Options) any { return &o.Extensions }},
	{"solver", func(o *alphabeta.Options) any { return &o.SolverNodes }},
}

// Techniques returns the keys of all techniques of the classical search that a
// player's description can set.
func Techniques() []string {
	keys := make([]string, len(techniques))
	for i, t := range techniques {
		keys[i] = t.key
	}
	return keys
}

// isSwitch reports whether a technique is on or off and nothing else.
func (t technique) isSwitch() bool {
	_, ok := t.field(&alphabeta.Options{}).(*alphabeta.Switch)
	return ok
}

// Name implements [option.Option].
func (t technique) Name() string { return t.key }

// About implements [option.Option].
func (t technique) About() string { return "technique of the search" }

// Range implements [option.Option].
func (t technique) Range() string {
	if t.isSwitch() {
		return "on|off"
	}
	return "on|off|" + option.Technique.Range()
}

// Check implements [option.Option].
func (t technique) Check(text string) error { return t.set(&alphabeta.Options{}, text) }

// SetTechniques sets the fields that a list such as "rfp=off,lmr=80" names.
func SetTechniques(o *alphabeta.Options, list string) error {
	for _, item := range strings.Split(list, ",") {
		key, text, _ := strings.Cut(item, "=")
		i := slices.IndexFunc(techniques, func(t technique) bool { return t.key == key })
		if i < 0 {
			return fmt.Errorf("unknown technique %q: want %s", key, strings.Join(Techniques(), ", "))
		}
		if err := techniques[i].set(o, text); err != nil {
			return fmt.Errorf("%s=%s: %w", key, text, err)
		}
	}
	return nil
}

// set sets the field to what text says.
func (t technique) set(o *alphabeta.Options, text string) error {
	if f, ok := t.field(o).(*alphabeta.Switch); ok {
		switch text {
		case "on":
			*f = 0
		case "off":
			*f = alphabeta.Off
		default:
			return errors.New("want on or off")
		}
		return nil
	}
	var n int64
	switch text {
	case "on":
		n = 0 // the default
	case "off":
		n = alphabeta.Off
	default:
		var err error
		if n, err = option.Technique.Parse(text); err != nil {
			return fmt.Errorf("%w, on or off", err)
		}
	}
	switch f := t.field(o).(type) {
	case *int:
		*f = int(n)
	case *alphabeta.Score:
		*f = alphabeta.Score(n)
	}
	return nil
}

// text returns what the field has, as set reads it.
func (t technique) text(o *alphabeta.Options) string {
	var n int64
	switch f := t.field(o).(type) {
	case *alphabeta.Switch:
		n = int64(*f)
	case *int:
		n = int64(*f)
	case *alphabeta.Score:
		n = int64(*f)
	}
	switch n {
	case 0:
		return "on"
	case alphabeta.Off:
		return "off"
	}
	return strconv.FormatInt(n, 10)
}
