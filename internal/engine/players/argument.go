package players

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carozero/carozero/internal/support/option"
)

// The arguments of every player, which ParseSpec reads.
var (
	nameOption = option.Text{Key: "name", Help: "name to show", Sample: "TEXT"}
	tcOption   = option.Text{Key: "tc", Help: "clock of a game: seconds, and seconds added a move, each up to 1000000", Sample: "60+0.5"}
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
