package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/selfplay/arena"
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
	{"rfp", func(o *alphabeta.Options) any { return &o.ReverseFutility }},
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

// readTechniques sets the fields that args name.
func readTechniques(args arena.Args, o *alphabeta.Options) error {
	for _, t := range techniques {
		text, ok := args.Get(t.key)
		if !ok {
			continue
		}
		if err := t.set(o, text); err != nil {
			return err
		}
	}
	return nil
}

// SetTechniques sets the fields that a list such as "rfp=off,lmr=80" names.
func SetTechniques(o *alphabeta.Options, list string) error {
	for _, item := range strings.Split(list, ",") {
		key, text, _ := strings.Cut(item, "=")
		i := slices.IndexFunc(techniques, func(t technique) bool { return t.key == key })
		if i < 0 {
			return fmt.Errorf("unknown technique %q: want %s", key, strings.Join(Techniques(), ", "))
		}
		if err := techniques[i].set(o, text); err != nil {
			return err
		}
	}
	return nil
}

// mostTechnique bounds the number of a technique.
const mostTechnique = 1_000_000

// set sets the field to what text says.
func (t technique) set(o *alphabeta.Options, text string) error {
	if f, ok := t.field(o).(*alphabeta.Switch); ok {
		switch text {
		case "on":
			*f = 0
		case "off":
			*f = alphabeta.Off
		default:
			return fmt.Errorf("%s=%s: want on or off", t.key, text)
		}
		return nil
	}
	n, err := strconv.Atoi(text)
	switch {
	case text == "on":
		n = 0 // the default
	case text == "off":
		n = alphabeta.Off
	case err != nil || n < 1 || n > mostTechnique:
		return fmt.Errorf("%s=%s: want a whole number 1..%d, on or off", t.key, text, mostTechnique)
	}
	switch f := t.field(o).(type) {
	case *int:
		*f = n
	case *alphabeta.Score:
		*f = alphabeta.Score(n)
	}
	return nil
}
