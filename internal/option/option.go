package option

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
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

// Int is a whole number.
type Int struct {
	Key      string `json:"key"`
	Help     string `json:"help"`
	Unit     string `json:"unit,omitempty"`
	Default  int64  `json:"default"`
	Min, Max int64

	// Zero says what 0 means where it may be given although Min is more, ""
	// where it may not.
	Zero string `json:"zero,omitempty"`
}

// With returns a copy with another default and help.
func (o Int) With(def int64, help string) Int {
	o.Default, o.Help = def, help
	return o
}

// Named returns a copy with another key.
func (o Int) Named(key string) Int {
	o.Key = key
	return o
}

// Above returns a copy with another minimum.
func (o Int) Above(least int64) Int {
	o.Min = least
	return o
}

// Or0 returns a copy that takes 0 too, which means what zero says.
func (o Int) Or0(zero string) Int {
	o.Zero = zero
	return o
}

// Name implements [Option].
func (o Int) Name() string { return o.Key }

// About implements [Option].
func (o Int) About() string { return o.Help }

// Range implements [Option].
func (o Int) Range() string {
	return rangeText(strconv.FormatInt(o.Min, 10)+".."+strconv.FormatInt(o.Max, 10), o.Unit, o.Zero)
}

// Check implements [Option].
func (o Int) Check(text string) error {
	_, err := o.Parse(text)
	return err
}

// Parse reads a number in the range.
func (o Int) Parse(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		n, err = strconv.ParseInt(text, 0, 64) // 1_000_000 and 0x100
	}
	if err != nil && !isRange(err) {
		return 0, fmt.Errorf("want a whole number, %s", o.Range())
	}
	if err != nil {
		return 0, o.wrong()
	}
	return n, o.Holds(n)
}

// Holds returns an error if n is outside the range.
func (o Int) Holds(n int64) error {
	if n >= o.Min && n <= o.Max || n == 0 && o.Zero != "" {
		return nil
	}
	return o.wrong()
}

func (o Int) wrong() error { return fmt.Errorf("want %s", o.Range()) }

// Seed is a whole number of 64 bits, all of which are good.
type Seed struct {
	Key     string `json:"key"`
	Help    string `json:"help"`
	Default uint64 `json:"default"`
}

// Name implements [Option].
func (o Seed) Name() string { return o.Key }

// About implements [Option].
func (o Seed) About() string { return o.Help }

// Range implements [Option].
func (o Seed) Range() string { return "0.." + strconv.FormatUint(math.MaxUint64, 10) }

// Check implements [Option].
func (o Seed) Check(text string) error {
	_, err := o.Parse(text)
	return err
}

// Parse reads a seed.
func (o Seed) Parse(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		n, err = strconv.ParseUint(text, 0, 64)
	}
	if err != nil {
		return 0, fmt.Errorf("want %s", o.Range())
	}
	return n, nil
}

// Float is a number with a fraction. Infinity and what is no number are never
// in its range.
type Float struct {
	Key      string  `json:"key"`
	Help     string  `json:"help"`
	Unit     string  `json:"unit,omitempty"`
	Default  float64 `json:"default"`
	Min, Max float64
	Zero     string `json:"zero,omitempty"` // as of Int
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
	Key      string        `json:"key"`
	Help     string        `json:"help"`
	Default  time.Duration `json:"default"`
	Min, Max time.Duration
	Zero     string `json:"zero,omitempty"` // as of Int
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

// Choice is one of a few words.
type Choice struct {
	Key     string   `json:"key"`
	Help    string   `json:"help"`
	Default string   `json:"default"`
	Words   []string `json:"words"`
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
	Key    string `json:"key"`
	Help   string `json:"help"`
	Sample string `json:"sample"` // what it may look like
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

// DefaultOf returns the default of an option as it is written, "" for none.
func DefaultOf(o Option) string {
	text := ""
	switch o := o.(type) {
	case Int:
		text = strconv.FormatInt(o.Default, 10)
	case Float:
		text = formatFloat(o.Default)
	case Duration:
		text = formatDuration(o.Default)
	case Choice:
		text = o.Default
	}
	if text == "0" || text == "0s" {
		return ""
	}
	return text
}

// rangeText puts a range in words: "1..1024 MiB, or 0: none".
func rangeText(bounds, unit, zero string) string {
	if unit != "" {
		bounds += " " + unit
	}
	if zero != "" {
		bounds += ", or 0: " + zero
	}
	return bounds
}

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

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

// isRange reports whether a text was a number beyond its type.
func isRange(err error) bool {
	number, ok := err.(*strconv.NumError)
	return ok && number.Err == strconv.ErrRange
}
