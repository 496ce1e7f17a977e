package players

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/support/option"
)

// Number is a numeric argument of a player, as a tuner changes it.
type Number struct {
	Key string // the current name if there are several
	option.Scale
	Value float64 // from the description, or the default
}

// spent are numeric arguments that set a budget. A tuner does not change them, because it
// compares players at equal budgets.
var spent = []string{"playouts", "visits", "nodes", "depth", "threads", "table", "memory", "ponder-nodes", "proof"}

// Number returns an argument of the player whose values are numbers, as it is in a variant:
// games have techniques of their own.
func (s PlayerSpec) Number(key string, v games.Variant) (Number, error) {
	o, text := s.setup.in(v).argument(key)
	if t, ok := o.(option.Technique); ok && text == "on" && t.Default != 0 {
		text = strconv.FormatInt(t.Default, 10)
	}
	if o == nil {
		return Number{}, fmt.Errorf("%s has no setting %q: want one of %s", s.Kind, key, strings.Join(s.Numbers(), " "))
	}
	n := Number{Key: o.Name()}
	if slices.Contains(spent, n.Key) {
		return n, fmt.Errorf("%s is what a search may spend, and players are compared at equal budgets: want one of %s", n.Key, strings.Join(s.Numbers(), " "))
	}
	numeric, ok := o.(option.Numeric)
	if ok {
		n.Scale = numeric.Scale()
	}
	if n.Step == 0 {
		return n, fmt.Errorf("%s is %s and no number: want one of %s", n.Key, o.Range(), strings.Join(s.Numbers(), " "))
	}
	var err error
	if n.Value, err = strconv.ParseFloat(text, 64); err != nil {
		return n, fmt.Errorf("%s is %q in %s: give it a number to start from", n.Key, text, s)
	}
	if n.Special && n.Value == 0 {
		return n, fmt.Errorf("%s is 0 in %s, which is no value among the others (%s): give it a number to start from", n.Key, s, o.Range())
	}
	return n, nil
}

// Numbers returns the keys of the arguments that Number knows.
func (s PlayerSpec) Numbers() []string {
	var keys []string
	for _, o := range PlayerOptions(s.Kind) {
		if n, ok := o.(option.Numeric); ok && n.Scale().Step > 0 && !slices.Contains(spent, o.Name()) {
			keys = append(keys, o.Name())
		}
	}
	return keys
}

// With returns the player with another value of an argument, or without it if value is "".
func (s PlayerSpec) With(key, value string) (PlayerSpec, error) {
	spec := s.Spec
	spec.Args = slices.DeleteFunc(slices.Clone(spec.Args), func(a Arg) bool {
		o, _ := s.setup.argument(a.Key)
		return o != nil && o.Name() == key
	})
	if value != "" {
		spec.Args = append(spec.Args, Arg{key, value})
	}
	return ParsePlayer(spec)
}

// Repeatable returns an error if the player's moves do not depend only on the game's seed
// and moves. It names the option that causes this.
func (s PlayerSpec) Repeatable() error {
	err := s.setup.repeatable()
	if s.Control.Limited() {
		err = errors.New("it plays by the clock: give it playouts, visits or nodes instead of time and tc")
	}
	if err != nil {
		return fmt.Errorf("player %q: %w", s, err)
	}
	return nil
}

// argumentOf returns a setting's option and its value in of.
func argumentOf[T any](list []option.Setting[T], of *T, key string) (option.Option, string) {
	s, known := option.Find(list, key)
	if !known {
		return nil, ""
	}
	return s.Option, s.Text(of)
}

func (s *treeSetup) argument(key string) (option.Option, string) {
	return argumentOf(treeArguments, s, key)
}

func (s *treeSetup) repeatable() error { return nil }

func (s *classicalSetup) argument(key string) (option.Option, string) {
	return argumentOf(classicalArguments, s, key)
}

func (s *treeSetup) in(games.Variant) playerSetup { return s }

// in implements playerSetup.
func (s *classicalSetup) in(v games.Variant) playerSetup {
	own := *s
	own.engine.Search = own.engine.Search.WithDefaults(v.Classical())
	return &own
}

func (s *execSetup) in(games.Variant) playerSetup { return s }

func (s *classicalSetup) repeatable() error {
	switch {
	case s.engine.Search.Threads > 1:
		return fmt.Errorf("threads=%d: only a search of one thread can be repeated", s.engine.Search.Threads)
	case s.ponder != "" && s.ponder != "false" && s.engine.PonderNodes == 0:
		return fmt.Errorf("ponder=%s: give ponder-nodes, for games that can be repeated", s.ponder)
	}
	return nil
}

func (s *execSetup) argument(key string) (option.Option, string) {
	return argumentOf(execArguments, s, key)
}

func (s *execSetup) repeatable() error {
	return errors.New("another program's settings are not known here: want mcts or alphabeta")
}
