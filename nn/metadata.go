package nn

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Metadata is what a model file says about itself in its properties.
type Metadata struct {
	Planes string   // carozero.planes: version of the input planes, as Encoder.Version
	Rules  []string // carozero.rules: names of the rule sets it was trained for
	Sizes  []int    // carozero.sizes: board sizes it was trained for, ascending
	Run    string   // carozero.run: the training run, free text

	// Temperature is carozero.temperature: the best divisor of the policy's logits in
	// a tree search, 1 if the model has none. A policy trained on single best moves is
	// too certain of them for a search.
	Temperature float32

	// Unsealed says that the weights were checked against no digest, neither one in
	// the file nor one given by the loader: damage would go unnoticed.
	Unsealed bool
}

// Tempered returns the divisor of the policy's logits: the model's temperature times
// the given one, where 0 means 1.
func (m Metadata) Tempered(asked float32) float32 {
	return cmp.Or(asked, 1) * cmp.Or(m.Temperature, 1)
}

// ParseMetadata reads the properties of a model: carozero.planes is required;
// carozero.rules is a list of names, carozero.sizes a list of sizes and ranges
// such as "9-15,19", both separated by commas or spaces, and empty for a model that
// makes no claim. carozero.temperature is a number. Errors wrap [ErrModel].
func ParseMetadata(properties map[string]string) (Metadata, error) {
	m := Metadata{
		Planes: strings.TrimSpace(properties["carozero.planes"]),
		Rules:  fields(properties["carozero.rules"]),
		Run:    properties["carozero.run"],

		Temperature: 1,
	}
	if text, ok := properties["carozero.temperature"]; ok {
		t, err := strconv.ParseFloat(text, 32)
		if err != nil || !(t >= minTemperature && t <= maxTemperature) {
			return Metadata{}, fmt.Errorf("%w: its property carozero.temperature has %.40q: want %g to %g", ErrModel, text,
				minTemperature, maxTemperature)
		}
		m.Temperature = float32(t)
	}
	if m.Planes == "" {
		return Metadata{}, fmt.Errorf("%w: it has no property carozero.planes, which names the version of its input planes",
			ErrModel)
	}
	var claimed [maxSize + 1]bool
	for _, f := range fields(properties["carozero.sizes"]) {
		low, high, ok := parseRange(f)
		if !ok {
			return Metadata{}, fmt.Errorf("%w: its property carozero.sizes has %.40q: want sizes or ranges such as 9-15,19",
				ErrModel, f)
		}
		for size := low; size <= high; size++ {
			claimed[size] = true
		}
	}
	for size, ok := range claimed {
		if ok {
			m.Sizes = append(m.Sizes, size)
		}
	}
	return m, nil
}

// Beyond says whether a rule set or board size lies outside of what the model was
// trained for, as the end of a sentence about the model. It returns "" if not, or if
// the model makes no claim. Such a model can still be used.
func (m Metadata) Beyond(rule string, size int) string {
	var trained, beyond []string
	if len(m.Rules) > 0 && !slices.Contains(m.Rules, rule) {
		trained, beyond = append(trained, "for "+strings.Join(m.Rules, ", ")), append(beyond, rule)
	}
	if len(m.Sizes) > 0 && !slices.Contains(m.Sizes, size) {
		trained, beyond = append(trained, "on "+boards(m.Sizes)), append(beyond, board(size))
	}
	if len(beyond) == 0 {
		return ""
	}
	verb := "is"
	if len(beyond) > 1 {
		verb = "are"
	}
	return fmt.Sprintf("was trained %s; %s %s beyond what its card claims",
		strings.Join(trained, " "), strings.Join(beyond, " and "), verb)
}

// ranges yields the first and the last of each run of neighbours among ascending sizes.
func ranges(sizes []int) iter.Seq2[int, int] {
	return func(yield func(low, high int) bool) {
		for i := 0; i < len(sizes); {
			j := i
			for j+1 < len(sizes) && sizes[j+1] == sizes[j]+1 {
				j++
			}
			if !yield(sizes[i], sizes[j]) {
				return
			}
			i = j + 1
		}
	}
}

// boards writes ascending sizes for a reader: "9x9 to 15x15, 19x19".
func boards(sizes []int) string {
	var parts []string
	for low, high := range ranges(sizes) {
		text := board(low)
		if high > low {
			text += " to " + board(high)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func board(size int) string { return fmt.Sprintf("%dx%d", size, size) }

// FormatSizes writes ascending sizes as ParseMetadata reads them: "9-15,19".
func FormatSizes(sizes []int) string {
	var parts []string
	for low, high := range ranges(sizes) {
		text := strconv.Itoa(low)
		if high > low {
			text += "-" + strconv.Itoa(high)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ",")
}

func fields(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

// minTemperature and maxTemperature bound a model's temperature.
const (
	minTemperature = 0.05
	maxTemperature = 20.0
)

// maxSize bounds what a property may claim as a board size.
const maxSize = 255

// parseRange reads a size, or a range of them.
func parseRange(s string) (low, high int, ok bool) {
	first, last, isRange := strings.Cut(s, "-")
	if !isRange {
		last = first
	}
	low, err := strconv.Atoi(first)
	high, wrong := strconv.Atoi(last)
	return low, high, err == nil && wrong == nil && low >= 1 && low <= high && high <= maxSize
}
