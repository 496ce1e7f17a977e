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
	case number:
		text = o.usual()
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

// Setting is an option together with the field of a T that it sets. A package declares
// the settings of what it does in one list, beside the type that they set; flags, keys
// of players, queries and configurations are made from that list, so that a new
// setting is reachable from all of them.
type Setting[T any] struct {
	Option

	// Aliases are earlier names of the key. They are read, and shown nowhere.
	Aliases []string

	set  func(*T, string) error
	text func(*T) string
}

// Set puts what text says into of. It returns what would be right if text is not in
// the option's range, and then leaves of alone.
func (s Setting[T]) Set(of *T, text string) error {
	if err := s.Check(text); err != nil {
		return err
	}
	return s.set(of, text)
}

// Text returns what of has, as Set reads it; "" for a text that is not set.
func (s Setting[T]) Text(of *T) string { return s.text(of) }

// Is reports whether name is the setting's key or one of its aliases.
func (s Setting[T]) Is(name string) bool { return s.Name() == name || slices.Contains(s.Aliases, name) }

// As returns a copy with further aliases.
func (s Setting[T]) As(aliases ...string) Setting[T] {
	s.Aliases = append(slices.Clip(s.Aliases), aliases...)
	return s
}

// Custom returns a setting with its own ways of reading and writing. set is given
// texts that the option has found good.
func Custom[T any](o Option, set func(*T, string) error, text func(*T) string) Setting[T] {
	return Setting[T]{Option: o, set: set, text: text}
}

// NumVar returns the setting of a number.
func NumVar[T any, N Number, F ~int | ~int64 | ~uint64 | ~float32 | ~float64](o Num[N], field func(*T) *F) Setting[T] {
	third := F(1) / 3
	single := third != 0 && float64(third) == float64(float32(1)/3)
	return Custom(o, func(of *T, text string) error {
		n, err := read[N](text)
		*field(of) = F(n)
		return err
	}, func(of *T) string {
		if single {
			return strconv.FormatFloat(float64(*field(of)), 'f', -1, 32)
		}
		return format(N(*field(of)))
	})
}

// MiBVar returns the setting of a number of MiB that the field holds in bytes.
func MiBVar[T any](o Int, field func(*T) *int64) Setting[T] {
	return Custom(o, func(of *T, text string) error {
		n, err := read[int64](text)
		*field(of) = n << 20
		return err
	}, func(of *T) string { return format(*field(of) >> 20) })
}

// BoolVar returns the setting of a switch between true and false.
func BoolVar[T any](o Choice, field func(*T) *bool) Setting[T] {
	return Custom(o, func(of *T, text string) error {
		*field(of) = text == "true"
		return nil
	}, func(of *T) string { return strconv.FormatBool(*field(of)) })
}

// StringVar returns the setting of a text, or of one of a few words.
func StringVar[T any](o Option, field func(*T) *string) Setting[T] {
	return Custom(o, func(of *T, text string) error {
		*field(of) = text
		return nil
	}, func(of *T) string { return *field(of) })
}

// Within returns the settings of a T as settings of a U that holds one.
func Within[U, T any](list []Setting[T], field func(*U) *T) []Setting[U] {
	held := make([]Setting[U], len(list))
	for i, s := range list {
		held[i] = Setting[U]{
			Option: s.Option, Aliases: s.Aliases,
			set:  func(of *U, text string) error { return s.set(field(of), text) },
			text: func(of *U) string { return s.text(field(of)) },
		}
	}
	return held
}

// Defaulting returns the settings with what of has as their defaults, where these are
// numbers.
func Defaulting[T any](list []Setting[T], of *T) []Setting[T] {
	list = slices.Clone(list)
	for i, s := range list {
		if n, ok := s.Option.(number); ok {
			list[i].Option = n.defaulting(s.Text(of))
		}
	}
	return list
}

// SetDefaults puts the default of each setting that has one into of. It panics if a
// default is out of the option's range.
func SetDefaults[T any](list []Setting[T], of *T) {
	for _, s := range list {
		if text := DefaultOf(s.Option); text != "" {
			if err := s.Set(of, text); err != nil {
				panic(fmt.Sprintf("option %s: the default %s: %v", s.Name(), text, err))
			}
		}
	}
}

// OrZero returns the settings with 0 for a value of each number that does not take it; zero
// says what it means.
func OrZero[T any](list []Setting[T], zero string) []Setting[T] {
	list = slices.Clone(list)
	for i, s := range list {
		if n, ok := s.Option.(number); ok {
			list[i].Option = n.orZero(zero)
		}
	}
	return list
}

// Find returns the setting with a key or alias; ok is false for an unknown one.
func Find[T any](list []Setting[T], name string) (s Setting[T], ok bool) {
	at := slices.IndexFunc(list, func(s Setting[T]) bool { return s.Is(name) })
	if at < 0 {
		return s, false
	}
	return list[at], true
}

// Without returns the settings whose keys are not named.
func Without[T any](list []Setting[T], keys ...string) []Setting[T] {
	return slices.DeleteFunc(slices.Clone(list), func(s Setting[T]) bool { return slices.Contains(keys, s.Name()) })
}

// Only returns the settings whose keys are named, in the order of the list.
func Only[T any](list []Setting[T], keys ...string) []Setting[T] {
	return slices.DeleteFunc(slices.Clone(list), func(s Setting[T]) bool { return !slices.Contains(keys, s.Name()) })
}

// Keys returns the keys of the settings.
func Keys[T any](list []Setting[T]) []string {
	keys := make([]string, len(list))
	for i, s := range list {
		keys[i] = s.Name()
	}
	return keys
}

// Format returns what of has as "key=value,key=value": equal texts mean equal
// settings.
func Format[T any](list []Setting[T], of *T) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = fmt.Sprintf("%s=%s", s.Name(), s.Text(of))
	}
	return strings.Join(parts, ",")
}
