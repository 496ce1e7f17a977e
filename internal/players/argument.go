package players

import (
	"errors"
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
	for _, a := range args {
		if _, known := option.Find(list, a.Key); !known {
			return fmt.Errorf("unknown argument %q: want one of %s", a.Key, strings.Join(option.Keys(list), " "))
		}
	}
	given := map[string]string{} // the names under which settings are given, by key
	for _, a := range args {
		s, _ := option.Find(list, a.Key)
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

// readBefore wraps an option that ParseSpec has already read.
func readBefore[T any](o option.Option) option.Setting[T] {
	return option.Custom(o, func(*T, string) error { return nil }, func(*T) string { return "" })
}

// PlayerOptions returns the options of a kind of player.
func PlayerOptions(kind PlayerKind) []option.Option {
	switch kind {
	case MCTS:
		return optionsOf(treeArguments)
	case AlphaBeta:
		return optionsOf(classicalArguments)
	case Exec:
		return optionsOf(execArguments)
	}
	return nil
}

func optionsOf[T any](list []option.Setting[T]) []option.Option {
	all := make([]option.Option, len(list))
	for i, a := range list {
		all[i] = a.Option
	}
	return all
}

// PlayerHelp returns a paragraph about the arguments of each kind of player, in
// lines of at most width letters.
func PlayerHelp(width int) string {
	var text strings.Builder
	for _, kind := range []struct {
		of    PlayerKind
		about string
	}{
		{MCTS, "mcts: tree search with a network."},
		{AlphaBeta, "alphabeta: the classical search."},
		{Exec, "exec:PATH ARGS: any engine that speaks the Gomocup protocol; its own arguments follow a last colon."},
	} {
		text.WriteString(hang(kind.about, "", width))
		for _, o := range PlayerOptions(kind.of) {
			if !slices.Contains(everyPlayer, o) {
				text.WriteString(describe(o, width))
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

// Arg is one "key=value" of a player's description.
type Arg struct{ Key, Value string }

// Args are the arguments of a player in the order given, without repeated
// keys.
type Args []Arg

var errQuote = errors.New("a double quote is not closed")

// parseArgs reads "key=value,key=value"; the empty text has no arguments.
func parseArgs(text string) (Args, error) {
	if text == "" {
		return nil, nil
	}
	pieces, err := splitQuoted(text, ',')
	if err != nil {
		return nil, err
	}
	args := make(Args, 0, len(pieces))
	for _, piece := range pieces {
		key, raw, ok := strings.Cut(piece, "=")
		if !ok || !isKey(key) {
			return nil, fmt.Errorf("argument %q: want key=value", piece)
		}
		value := unquote(raw)
		if value == "" {
			return nil, fmt.Errorf("argument %q: the value is empty", piece)
		}
		if _, twice := args.Get(key); twice {
			return nil, fmt.Errorf("argument %q is given twice", key)
		}
		args = append(args, Arg{key, value})
	}
	return args, nil
}

// isKey reports whether text is a lower-case letter followed by lower-case
// letters, digits and hyphens.
func isKey(text string) bool {
	for i, r := range []byte(text) {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r != '-' && (r < '0' || r > '9')) {
			return false
		}
	}
	return text != ""
}

// Get returns the value of key and whether it was given.
func (a Args) Get(key string) (string, bool) {
	for _, arg := range a {
		if arg.Key == key {
			return arg.Value, true
		}
	}
	return "", false
}

// Only returns an error that names the first argument whose key is not among
// keys.
func (a Args) Only(keys ...string) error {
	for _, arg := range a {
		if !slices.Contains(keys, arg.Key) {
			return fmt.Errorf("unknown argument %q: want one of %s", arg.Key, strings.Join(keys, " "))
		}
	}
	return nil
}

// String returns the arguments as they are written in a description.
func (a Args) String() string {
	pieces := make([]string, len(a))
	for i, arg := range a {
		pieces[i] = arg.Key + "=" + quote(arg.Value)
	}
	return strings.Join(pieces, ",")
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
	o, text := s.setup.in(v).argument(key)
	if t, ok := o.(option.Technique); ok && text == "on" && t.Default != 0 {
		text = strconv.FormatInt(t.Default, 10)
	}
	if o == nil {
		return Number{}, fmt.Errorf("%s has no setting %q: want one of %s", s.Kind, key, strings.Join(s.Numbers(), " "))
	}
	n := Number{Key: o.Name()}
	if slices.Contains(spent, n.Key) {
		return n, fmt.Errorf("%s is what a search may spend, and players are compared at equal budgets: want one of %s",
			n.Key, strings.Join(s.Numbers(), " "))
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
		return n, fmt.Errorf("%s is 0 in %s, which is no value among the others (%s): give it a number to start from",
			n.Key, s, o.Range())
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

func (s *Tree) argument(key string) (option.Option, string) {
	return argumentOf(treeArguments, s, key)
}

func (s *Tree) repeatable() error { return nil }

func (s *Alphabeta) argument(key string) (option.Option, string) {
	return argumentOf(classicalArguments, s, key)
}

func (s *Tree) in(games.Variant) playerSetup { return s }

// in implements playerSetup.
func (s *Alphabeta) in(v games.Variant) playerSetup {
	own := *s
	own.Search = own.Search.WithDefaults(v.Classical())
	return &own
}

func (s *execSetup) in(games.Variant) playerSetup { return s }

func (s *Alphabeta) repeatable() error {
	switch {
	case s.Search.Threads > 1:
		return fmt.Errorf("threads=%d: only a search of one thread can be repeated", s.Search.Threads)
	}
	return nil
}

func (s *execSetup) argument(key string) (option.Option, string) {
	return argumentOf(execArguments, s, key)
}

func (s *execSetup) repeatable() error {
	return errors.New("another program's settings are not known here: want mcts or alphabeta")
}
