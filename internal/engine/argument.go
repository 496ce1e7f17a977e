package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carozero/carozero/internal/option"
)

// argument is a key of a player's description: what it takes, and how it is put
// into a setup T. set is given texts that the option has found good; nil where
// ParseSpec has read the key already.
type argument[T any] struct {
	option.Option
	set func(setup *T, text string) error
}

// whole returns the argument of a whole number.
func whole[T any, N ~int | ~int64](o option.Int, field func(*T) *N) argument[T] {
	return argument[T]{o, func(setup *T, text string) error {
		n, err := o.Parse(text)
		*field(setup) = N(n)
		return err
	}}
}

// number returns the argument of a number with a fraction.
func number[T any, N ~float32 | ~float64](o option.Float, field func(*T) *N) argument[T] {
	return argument[T]{o, func(setup *T, text string) error {
		x, err := o.Parse(text)
		*field(setup) = N(x)
		return err
	}}
}

// truth returns the argument of a switch between true and false.
func truth[T any](o option.Choice, field func(*T) *bool) argument[T] {
	return argument[T]{o, func(setup *T, text string) error {
		*field(setup) = text == "true"
		return nil
	}}
}

// word returns the argument of a text, or of one of a few words.
func word[T any](o option.Option, field func(*T) *string) argument[T] {
	return argument[T]{o, func(setup *T, text string) error {
		*field(setup) = text
		return nil
	}}
}

// The arguments of every player, which ParseSpec reads.
var (
	nameOption = option.Text{Key: "name", Help: "name to show", Sample: "TEXT"}
	tcOption   = option.Text{Key: "tc", Help: "clock of a game: seconds, and seconds added a move, each up to 1000000", Sample: "60+0.5"}
	timeOption = option.Time.With(0, "time of a move")
)

// read puts what args say into setup, which holds the defaults. It refuses keys
// that are not in the list.
func read[T any](list []argument[T], args Args, setup *T) error {
	if err := args.Only(keysOf(list)...); err != nil {
		return err
	}
	for _, a := range list {
		text, given := args.Get(a.Name())
		if !given || a.set == nil {
			continue
		}
		err := a.Check(text)
		if err == nil {
			err = a.set(setup, text)
		}
		if err != nil {
			return fmt.Errorf("%s=%s: %w", a.Name(), text, err)
		}
	}
	return nil
}

func keysOf[T any](list []argument[T]) []string {
	keys := make([]string, len(list))
	for i, a := range list {
		keys[i] = a.Name()
	}
	return keys
}

// chosen returns the arguments of the list with these keys.
func chosen[T any](list []argument[T], keys ...string) []argument[T] {
	var some []argument[T]
	for _, a := range list {
		if slices.Contains(keys, a.Name()) {
			some = append(some, a)
		}
	}
	return some
}

// PlayerOptions returns what the description of a player of some kind takes.
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

func optionsOf[T any](list []argument[T]) []option.Option {
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
		var techniques []technique
		for _, o := range PlayerOptions(kind.of) {
			if t, ok := o.(technique); ok {
				techniques = append(techniques, t)
			} else if !slices.Contains(everyPlayer, o) {
				text.WriteString(describe(o, width))
			}
		}
		text.WriteString(describeTechniques(techniques, width) + "\n")
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
	return hang(fmt.Sprintf("  %-*s%s (%s)", column-2, o.Name(), o.About(), values), strings.Repeat(" ", column), width)
}

// describeTechniques names the techniques that can be switched, and those that
// can be set to a number too.
func describeTechniques(list []technique, width int) string {
	var switches, numbers []string
	for _, t := range list {
		if t.isSwitch() {
			switches = append(switches, t.key)
		} else {
			numbers = append(numbers, t.key)
		}
	}
	if list == nil {
		return ""
	}
	return hang("  techniques of the search, on|off: "+strings.Join(switches, ", ")+"; on|off|"+option.Technique.Range()+": "+
		strings.Join(numbers, ", "), strings.Repeat(" ", column), width)
}

// hang breaks a text into lines of at most width letters, those after the first
// with an indent.
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
