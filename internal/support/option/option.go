// Package option describes the values that a user can give: each has a key, a sentence of
// help, a unit, a default and a range. Flags, keys of players, configurations and queries
// share these descriptions, so that a number is checked while it is read. Ranges are
// declared in ranges.go; a command that wants another default or other words takes a copy:
// option.Playouts.With(800, "playouts of a search").
package option

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Option is a value that a user can give. Check returns nil if a text is a
// value in the range, and otherwise an error that says what would be right, as
// in "want 1..1024"; callers put before it what they read.
type Option interface {
	Name() string  // its key
	About() string // what it does
	Range() string // the values that it takes, as in "1..1024 MiB"
	Check(text string) error
}

// DefaultOf returns the default of an option as it is written, "" for none.
func DefaultOf(o Option) string {
	text := ""
	switch o := o.(type) {
	case Int:
		text = format(o.Default)
	case Float:
		text = format(o.Default)
	case Duration:
		text = format(o.Default)
	case Choice:
		text = o.Default
	case Technique:
		text = "on"
		if o.Default > 0 {
			text = format(o.Default)
		}
	}
	if text == "0" || text == "0s" {
		return ""
	}
	return text
}

// Kind returns what the values of an option are: "int", "uint", "float", "duration",
// "bool" or "string".
func Kind(o Option) string {
	switch o := o.(type) {
	case Int:
		return "int"
	case Seed:
		return "uint"
	case Float:
		return "float"
	case Duration:
		return "duration"
	case Choice:
		if o.Words[0] == "true" {
			return "bool"
		}
	}
	return "string"
}

// Technique is a technique that can be switched on and off, and if it has a strength
// can also be set to that.
type Technique struct {
	Key     string
	Help    string
	Unit    string
	Default int64 // its strength, if it is on; 0: it has none
}

// strength bounds the strength of every technique.
var strength = Int{Min: 1, Max: 1_000_000}

// Name implements [Option].
func (o Technique) Name() string { return o.Key }

// About implements [Option].
func (o Technique) About() string { return o.Help }

// Range implements [Option].
func (o Technique) Range() string {
	if o.Default == 0 {
		return "on|off"
	}
	bounded := strength
	bounded.Unit = o.Unit
	return "on|off|" + bounded.Range()
}

// Check implements [Option].
func (o Technique) Check(text string) error {
	_, err := o.Parse(text)
	return err
}

// What the fields of techniques hold besides strengths.
const (
	Unset = 0  // on or off, as is usual where it is used
	On    = 1  // of a technique without a strength
	Off   = -1 // of any
)

// Parse returns the strength that a text says, On or Off. "on" is the usual strength of a
// technique that has one.
func (o Technique) Parse(text string) (int64, error) {
	switch {
	case text == "on":
		return cmp.Or(o.Default, On), nil
	case text == "off":
		return Off, nil
	case o.Default == 0:
		return 0, errors.New("want on or off")
	}
	n, err := strength.Parse(text)
	if err != nil {
		return 0, fmt.Errorf("%w, on or off", err)
	}
	return n, nil
}

// Scale implements [Numeric]. One that has no strength has the zero scale.
func (o Technique) Scale() Scale {
	if o.Default == 0 {
		return Scale{}
	}
	return strength.With(o.Default, "").Scale()
}

// Switched returns the setting of a technique, whose field has Unset, On, Off, or its
// strength.
func Switched[T any, N ~int | ~int8 | ~int32](o Technique, field func(*T) *N) Setting[T] {
	return Custom(o, func(of *T, text string) error {
		n, err := o.Parse(text)
		*field(of) = N(n)
		return err
	}, func(of *T) string {
		switch n := *field(of); {
		case n == Unset, int64(n) == cmp.Or(o.Default, On):
			return "on"
		case n == Off:
			return "off"
		default:
			return strconv.FormatInt(int64(n), 10)
		}
	})
}

// Choice is one of a few words.
type Choice struct {
	Key     string
	Help    string
	Default string
	Words   []string
}

// Switch returns the choice between true and false.
func Switch(key, help string, def bool) Choice {
	return Choice{Key: key, Help: help, Default: strconv.FormatBool(def), Words: []string{"true", "false"}}
}

// Name implements [Option].
func (o Choice) Name() string { return o.Key }

// About implements [Option].
func (o Choice) About() string { return o.Help }

// Range implements [Option].
func (o Choice) Range() string { return strings.Join(o.Words, "|") }

// Check implements [Option].
func (o Choice) Check(text string) error {
	if slices.Contains(o.Words, text) {
		return nil
	}
	return fmt.Errorf("want %s", strings.Join(o.Words, " or "))
}

// Text is any text that is not empty.
type Text struct {
	Key    string
	Help   string
	Sample string // what it may look like
}

// Name implements [Option].
func (o Text) Name() string { return o.Key }

// About implements [Option].
func (o Text) About() string { return o.Help }

// Range implements [Option].
func (o Text) Range() string { return o.Sample }

// Check implements [Option].
func (o Text) Check(text string) error {
	if text == "" {
		return fmt.Errorf("want %s", o.Sample)
	}
	return nil
}
