package option

import (
	"fmt"
	"math"
	"strconv"
)

// Int is a whole number.
type Int struct {
	Key     string `json:"key"`
	Help    string `json:"help"`
	Unit    string `json:"unit,omitempty"`
	Default int64  `json:"default"`
	Min     int64  `json:"min"`
	Max     int64  `json:"max"`

	// Zero says what 0 means where it may be given although Min is more, ""
	// where it may not.
	Zero string `json:"zero,omitempty"`

	// Step is by how much a tuner changes the number at a time; 0: see [Int.Scale].
	Step int64 `json:"-"`
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

// By returns a copy with another step of tuners.
func (o Int) By(step int64) Int {
	o.Step = step
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
