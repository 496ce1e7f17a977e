package analysis

import (
	"fmt"
	"strconv"
	"strings"
)

// Configure sets the options that a configuration file of KataGo's analysis engine
// names and that have a meaning here: maxVisits, analysisPVLen, numAnalysisThreads,
// reportAnalysisWinratesAs and warnUnusedFields. A line is "name = value"; what
// follows # is a comment. It returns how many other settings the text has.
func (o *Options) Configure(text string) (others int, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok {
			return 0, fmt.Errorf("line %d: %s: want name = value", number, shown(line))
		}
		known, err := o.configure(strings.TrimSpace(name), strings.TrimSpace(value))
		if err != nil {
			return 0, fmt.Errorf("line %d: %s: %w", number, shown(strings.TrimSpace(name)), err)
		}
		if !known {
			others++
		}
	}
	return others, nil
}

// configure sets one option; known is false if none has the name.
func (o *Options) configure(name, value string) (known bool, err error) {
	whole := func(into *int, most int64) error {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 1 || n > most {
			return fmt.Errorf("%s: want a whole number from 1 to %d", shown(value), most)
		}
		*into = int(n)
		return nil
	}
	switch name {
	case "maxVisits":
		return true, whole(&o.MaxVisits, 1_000_000_000)
	case "analysisPVLen":
		return true, whole(&o.PVLength, mostPVLength)
	case "numAnalysisThreads":
		return true, whole(&o.Workers, 1024)
	case "reportAnalysisWinratesAs":
		o.WinratesAs, err = ParsePerspective(value)
		return true, err
	case "warnUnusedFields":
		warns, err := strconv.ParseBool(value)
		o.Unwarned = !warns
		return true, err
	}
	return false, nil
}
