package players

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

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
		value, err := unquote(raw)
		if err != nil {
			return nil, fmt.Errorf("argument %q: %w", piece, err)
		}
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
