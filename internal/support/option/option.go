package option

import (
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
	case Technique:
		text = "on"
		if o.Default > 0 {
			text = strconv.FormatInt(o.Default, 10)
		}
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

// isRange reports whether a text was a number beyond its type.
func isRange(err error) bool {
	number, ok := err.(*strconv.NumError)
	return ok && number.Err == strconv.ErrRange
}
