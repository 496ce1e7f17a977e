package option

import (
	"fmt"
	"strconv"
	"time"
)

// Float is a number with a fraction. Infinity and what is no number are never
// in its range.
type Float struct {
	Key     string  `json:"key"`
	Help    string  `json:"help"`
	Unit    string  `json:"unit,omitempty"`
	Default float64 `json:"default"`
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	Zero    string  `json:"zero,omitempty"` // as of Int
	Step    float64 `json:"-"`              // by how much a tuner changes the number at a time; 0: see [Float.Scale]
}

// With returns a copy with another default and help.
func (o Float) With(def float64, help string) Float {
	o.Default, o.Help = def, help
	return o
}

// Named returns a copy with another key.
func (o Float) Named(key string) Float {
	o.Key = key
	return o
}

// Name implements [Option].
func (o Float) Name() string { return o.Key }

// About implements [Option].
func (o Float) About() string { return o.Help }

// Range implements [Option].
func (o Float) Range() string {
	return rangeText(formatFloat(o.Min)+".."+formatFloat(o.Max), o.Unit, o.Zero)
}

// Check implements [Option].
func (o Float) Check(text string) error {
	_, err := o.Parse(text)
	return err
}

// Parse reads a number in the range.
func (o Float) Parse(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil && !isRange(err) {
		return 0, fmt.Errorf("want a number, %s", o.Range())
	}
	if x >= o.Min && x <= o.Max || x == 0 && o.Zero != "" {
		return x, nil
	}
	return 0, fmt.Errorf("want %s", o.Range())
}

// Duration is a length of time with its unit, as in 200ms.
type Duration struct {
	Key     string        `json:"key"`
	Help    string        `json:"help"`
	Default time.Duration `json:"default"` // in JSON, nanoseconds
	Min     time.Duration `json:"min"`
	Max     time.Duration `json:"max"`
	Zero    string        `json:"zero,omitempty"` // as of Int
}

// With returns a copy with another default and help.
func (o Duration) With(def time.Duration, help string) Duration {
	o.Default, o.Help = def, help
	return o
}

// Named returns a copy with another key.
func (o Duration) Named(key string) Duration {
	o.Key = key
	return o
}

// Name implements [Option].
func (o Duration) Name() string { return o.Key }

// About implements [Option].
func (o Duration) About() string { return o.Help }

// Range implements [Option].
func (o Duration) Range() string {
	return rangeText(formatDuration(o.Min)+".."+formatDuration(o.Max), "", o.Zero)
}

// Check implements [Option].
func (o Duration) Check(text string) error {
	_, err := o.Parse(text)
	return err
}

// Parse reads a duration in the range.
func (o Duration) Parse(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("want a duration with its unit, as in 200ms or 1.5s, %s", o.Range())
	}
	if d >= o.Min && d <= o.Max || d == 0 && o.Zero != "" {
		return d, nil
	}
	return 0, fmt.Errorf("want %s", o.Range())
}
