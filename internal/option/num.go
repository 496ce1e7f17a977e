package option

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Number is what a numeric option can be.
type Number interface {
	int64 | uint64 | float64 | time.Duration
}

// Num is a number with a range.
type Num[T Number] struct {
	Key, Help, Unit   string
	Default, Min, Max T

	// Zero says what 0 means where it may be given although Min is more, ""
	// where it may not.
	Zero string

	// Step is by how much a tuner changes the number at a time; 0: see [Num.Scale].
	Step T
}

// The kinds of numbers. Infinity and NaN are in the range of no Float. A Seed takes every
// number of 64 bits.
type (
	Int      = Num[int64]
	Seed     = Num[uint64]
	Float    = Num[float64]
	Duration = Num[time.Duration] // with its unit, as in 200ms
)

// With returns a copy with another default and help.
func (o Num[T]) With(def T, help string) Num[T] {
	o.Default, o.Help = def, help
	return o
}

// Named returns a copy with another key.
func (o Num[T]) Named(key string) Num[T] {
	o.Key = key
	return o
}

// Above returns a copy with another minimum.
func (o Num[T]) Above(least T) Num[T] {
	o.Min = least
	return o
}

// ZeroMeans returns a copy that takes 0 too, which means what zero says.
func (o Num[T]) ZeroMeans(zero string) Num[T] {
	o.Zero = zero
	return o
}

// By returns a copy with another step of tuners.
func (o Num[T]) By(step T) Num[T] {
	o.Step = step
	return o
}

// Name implements [Option].
func (o Num[T]) Name() string { return o.Key }

// About implements [Option].
func (o Num[T]) About() string { return o.Help }

// Range implements [Option].
func (o Num[T]) Range() string {
	text := format(o.Min) + ".." + format(o.max())
	if o.Unit != "" {
		text += " " + o.Unit
	}
	if o.Zero != "" {
		text += ", or 0: " + o.Zero
	}
	return text
}

func (o Num[T]) max() T {
	if seed, ok := any(&o.Max).(*uint64); ok {
		*seed = math.MaxUint64
	}
	return o.Max
}

// Check implements [Option].
func (o Num[T]) Check(text string) error {
	_, err := o.Parse(text)
	return err
}

// Parse reads a number in the range.
func (o Num[T]) Parse(text string) (T, error) {
	n, err := read[T](text)
	if err != nil {
		return 0, o.wrong()
	}
	return n, o.Holds(n)
}

// Holds returns an error if n is outside the range.
func (o Num[T]) Holds(n T) error {
	if n >= o.Min && n <= o.max() || n == 0 && o.Zero != "" {
		return nil
	}
	return o.wrong()
}

func (o Num[T]) wrong() error { return fmt.Errorf("want %s", o.Range()) }

// read reads a decimal number of any size.
func read[T Number](text string) (n T, err error) {
	switch n := any(&n).(type) {
	case *int64:
		*n, err = strconv.ParseInt(text, 10, 64)
	case *uint64:
		*n, err = strconv.ParseUint(text, 10, 64)
	case *float64:
		if *n, err = strconv.ParseFloat(text, 64); err == nil && strings.ContainsAny(text, "xX_") {
			err = strconv.ErrSyntax
		}
	case *time.Duration:
		*n, err = time.ParseDuration(text)
	}
	return n, err
}

// format writes a number as read reads it.
func format[T Number](n T) string {
	switch n := any(n).(type) {
	case float64:
		return formatFloat(n)
	case time.Duration:
		return formatDuration(n)
	}
	return fmt.Sprint(n)
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// formatDuration writes a duration without the parts that are 0: "24h", "1us".
func formatDuration(d time.Duration) string {
	text := strings.Replace(d.String(), "µ", "u", 1)
	for _, zeros := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zeros) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// number is a Num of any type.
type number interface {
	usual() string // the default
	defaulting(text string) Option
	orZero(zero string) Option
}

func (o Num[T]) usual() string {
	if Kind(o) == "uint" {
		return "" // the seed of one command is not another's
	}
	return format(o.Default)
}

func (o Num[T]) defaulting(text string) Option {
	if n, err := read[T](text); err == nil {
		o.Default = n
	}
	return o
}

func (o Num[T]) orZero(zero string) Option {
	if o.Min > 0 && o.Zero == "" {
		o.Zero = zero
	}
	return o
}

// Scale says of a numeric option what a tuner must know: which values it may try,
// and how far apart two of them are for a difference to be worth asking for.
type Scale struct {
	Min, Max float64
	Step     float64 // over 0, for whole numbers 1 or more; 0: the option is none that is tuned
	Whole    bool    // the values are whole numbers
	Special  bool    // 0 is not a value among the others but stands for something else, as for the default
}

// Numeric is an option whose values may be numbers.
type Numeric interface {
	Option
	Scale() Scale
}

// Scale implements [Numeric]. Without a Step, a tenth of the default is one, and where the
// default of a Float is 0 a hundredth of the range. Seeds and durations have the zero scale.
func (o Num[T]) Scale() Scale {
	s := Scale{Min: float64(o.Min), Max: float64(o.Max), Step: float64(o.Step), Special: o.Zero != ""}
	tenth := math.Abs(float64(o.Default)) / 10
	switch any(o).(type) {
	case Int:
		s.Whole = true
		if s.Step == 0 && tenth > 0 {
			s.Step = max(1, math.Round(tenth))
		}
	case Float:
		if s.Step == 0 {
			s.Step = tenth
		}
		if s.Step == 0 {
			s.Step = (s.Max - s.Min) / 100
		}
	default:
		return Scale{}
	}
	return s
}

// Format returns a value of the scale as Parse of its option reads it.
func (s Scale) Format(x float64) string {
	if s.Whole {
		return strconv.FormatInt(int64(math.Round(x)), 10)
	}
	return formatFloat(x)
}
