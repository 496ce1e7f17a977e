package players

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
)

// The arguments of every player, which ParseSpec reads.
var (
	nameOption = option.Text{Key: "name", Help: "name to show", Sample: "TEXT"}
	tcOption   = option.Text{
		Key: "tc", Help: "clock of a game: seconds, and seconds added a move, each up to 1000000", Sample: "60+0.5",
	}
	timeOption = option.Time.With(0, "time of a move")
)

// ReadArgs sets the fields of setup, which holds the defaults, from args. It rejects
// unknown keys and settings that are given under two names.
func ReadArgs[T any](list []option.Setting[T], args Args, setup *T) error {
	given := map[string]string{} // the names under which settings are given, by key
	for _, a := range args {
		s, known := option.Find(list, a.Key)
		if !known {
			return fmt.Errorf("unknown argument %q: want one of %s", a.Key, strings.Join(option.Keys(list), " "))
		}
		if other, twice := given[s.Name()]; twice {
			return fmt.Errorf("%s=%s: %s is the same setting", a.Key, a.Value, other)
		}
		given[s.Name()] = a.Key
		if err := s.Set(setup, a.Value); err != nil {
			return fmt.Errorf("%s=%s: %w", a.Key, a.Value, err)
		}
	}
	return nil
}

// withEvery appends the settings of every player, which ParseSpec has already read.
func withEvery[T any](list []option.Setting[T]) []option.Setting[T] {
	for _, o := range everyPlayer {
		ignore, empty := func(*T, string) error { return nil }, func(*T) string { return "" }
		list = append(list, option.Custom(o, ignore, empty))
	}
	return list
}

// argument is an option of a player with its value or default.
type argument struct {
	option.Option
	is   func(name string) bool
	text string
}

// argumentsOf returns the arguments of a player.
func argumentsOf[T any](list []option.Setting[T], of *T) []argument {
	all := make([]argument, len(list))
	for i, s := range list {
		all[i] = argument{s.Option, s.Is, s.Text(of)}
	}
	return all
}

// find returns the argument that has a name; its option is nil if there is none.
func find(list []argument, name string) (found argument) {
	if at := slices.IndexFunc(list, func(a argument) bool { return a.is(name) }); at >= 0 {
		found = list[at]
	}
	return found
}

// kinds are the kinds of players for the help.
var kinds = []struct {
	about string
	setup playerSetup
}{
	{"mcts: tree search with a network.", new(Tree)},
	{"alphabeta: the classical search.", new(Alphabeta)},
	{"exec:PATH ARGS: any engine that speaks the Gomocup protocol; its own arguments follow a last colon.",
		new(execSetup)},
}

// PlayerHelp returns a paragraph about the arguments of each kind of player, in
// lines of at most width letters.
func PlayerHelp(width int) string {
	var text strings.Builder
	for _, kind := range kinds {
		text.WriteString(hang(kind.about, "", width))
		for _, a := range kind.setup.arguments() {
			if !slices.Contains(everyPlayer, a.Option) {
				text.WriteString(describe(a.Option, width))
			}
		}
		text.WriteString("\n")
	}
	text.WriteString(hang("Every player takes:", "", width))
	for _, o := range everyPlayer {
		text.WriteString(describe(o, width))
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// everyPlayer are the options that ParseSpec reads.
var everyPlayer = []option.Option{nameOption, tcOption, timeOption}

// column is where the words about a key begin.
const column = 14

// describe returns a line or more about an option, with its range and default.
func describe(o option.Option, width int) string {
	values := o.Range()
	if def := option.DefaultOf(o); def != "" {
		values += ", default " + def
	}
	return hang(fmt.Sprintf("  %-*s %s (%s)", column-3, o.Name(), o.About(), values), strings.Repeat(" ", column), width)
}

// hang wraps a text to lines of at most width letters and indents all but the first.
func hang(text, indent string, width int) string {
	var out strings.Builder
	for len(text) > width {
		at := strings.LastIndexByte(text[:width+1], ' ')
		if at <= len(indent) {
			break
		}
		out.WriteString(strings.TrimRight(text[:at], " ") + "\n")
		text = indent + strings.TrimLeft(text[at:], " ")
	}
	out.WriteString(text + "\n")
	return out.String()
}

// Number is a numeric argument of a player, as a tuner changes it.
type Number struct {
	Key string // the current name if there are several
	option.Scale
	Value float64 // from the description, or the default
}

// spent are numeric arguments that set a budget. A tuner does not change them, because it
// compares players at equal budgets.
var spent = []string{"playouts", "visits", "nodes", "depth", "threads", "table", "memory", "proof"}

// Number returns an argument of the player whose values are numbers, as it is in a variant:
// games have techniques of their own.
func (s PlayerSpec) Number(key string, v games.Variant) (Number, error) {
	setup := s.setup
	if a, ok := setup.(*Alphabeta); ok {
		own := *a
		own.Search = own.Search.WithDefaults(v.Classical())
		setup = &own
	}
	a := find(setup.arguments(), key)
	if t, ok := a.Option.(option.Technique); ok && a.text == "on" && t.Default != 0 {
		a.text = strconv.FormatInt(t.Default, 10)
	}
	if a.Option == nil || !slices.Contains(s.Numbers(), a.Name()) {
		return Number{}, fmt.Errorf("%q is no number that can be tuned at an equal budget: want one of %s", key,
			strings.Join(s.Numbers(), " "))
	}
	n := Number{Key: a.Name(), Scale: a.Option.(option.Numeric).Scale()}
	var err error
	if n.Value, err = strconv.ParseFloat(a.text, 64); err != nil || n.Special && n.Value == 0 {
		return n, fmt.Errorf("%s=%s in %s: give it a number to start from (%s)", n.Key, a.text, s, a.Range())
	}
	return n, nil
}

// Numbers returns the keys of the arguments that Number knows.
func (s PlayerSpec) Numbers() []string {
	var keys []string
	for _, a := range s.setup.arguments() {
		if n, ok := a.Option.(option.Numeric); ok && n.Scale().Step > 0 && !slices.Contains(spent, a.Name()) {
			keys = append(keys, a.Name())
		}
	}
	return keys
}

// With returns the player with another value of an argument, or without it if value is "".
func (s PlayerSpec) With(key, value string) (PlayerSpec, error) {
	spec, known := s.Spec, s.setup.arguments()
	spec.Args = slices.DeleteFunc(slices.Clone(spec.Args), func(a Arg) bool {
		return find(known, a.Key).Name() == key
	})
	if value != "" {
		spec.Args = append(spec.Args, Arg{key, value})
	}
	return ParsePlayer(spec)
}

// Repeatable returns an error if the player's moves do not depend only on the game's seed
// and moves. It names the option that causes this.
func (s PlayerSpec) Repeatable() error {
	alphabeta, _ := s.setup.(*Alphabeta)
	why := ""
	switch {
	case s.Control.Limited():
		why = "it plays by the clock: give it playouts, visits or nodes instead of time and tc"
	case s.Kind == Exec:
		why = "another program's settings are not known here: want mcts or alphabeta"
	case alphabeta != nil && alphabeta.Search.Threads > 1:
		why = fmt.Sprintf("threads=%d: only a search of one thread can be repeated", alphabeta.Search.Threads)
	default:
		return nil
	}
	return fmt.Errorf("player %q: %s", s, why)
}
