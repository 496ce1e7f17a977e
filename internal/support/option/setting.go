package option

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
func NumVar[T any, N Number, F ~int | ~int64 | ~float32 | ~float64](o Num[N], field func(*T) *F) Setting[T] {
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
		text := s.Text(of)
		switch o := s.Option.(type) {
		case Int:
			if n, err := strconv.ParseInt(text, 10, 64); err == nil {
				o.Default = n
				list[i].Option = o
			}
		case Float:
			if x, err := strconv.ParseFloat(text, 64); err == nil {
				o.Default = x
				list[i].Option = o
			}
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
		switch o := s.Option.(type) {
		case Int:
			if o.Min > 0 && o.Zero == "" {
				list[i].Option = o.ZeroMeans(zero)
			}
		case Float:
			if o.Min > 0 && o.Zero == "" {
				list[i].Option = o.ZeroMeans(zero)
			}
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
