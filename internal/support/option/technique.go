package option

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
)

// Technique is a technique that can be switched on and off, and if it has a strength
// can also be set to that.
type Technique struct {
	Key     string `json:"key"`
	Help    string `json:"help"`
	Unit    string `json:"unit,omitempty"`
	Default int64  `json:"default,omitempty"` // its strength, if it is on; 0: it has none
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
