package option

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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
