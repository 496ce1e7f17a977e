package games

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
)

// Setup is a position given by its stones, for games whose moves are the cells of a
// board: [Variant.Columns] is not 0.
type Setup struct {
	Stones   []Stone    // by cell, as many as the board has
	ToMove   *game.Side // nil: by the count of stones
	Captured [2]int     // stones taken off the board, by the side that took them
}

// Diagram is a position drawn as text, with what a drawing leaves open.
type Diagram struct {
	Text     string
	ToMove   *game.Side // nil: by the count of stones, or as the drawing says
	Captured [2]int     // stones taken off the board, by the side that took them
}

// SetUp returns the position of a setup. The error is a [SetupError] if a part of the
// setup is impossible.
func (v Variant) SetUp(s Setup) (game.Position, error) {
	if v.game.SetUp == nil {
		return nil, fmt.Errorf("positions of %s are not set up by stones", v.Game)
	}
	return v.game.SetUp(v, s)
}

// ParseDiagram reads a drawing. The error is a [SetupError] if what is drawn is
// impossible, an [OptionError] if the game's drawings say themselves what d does.
func (v Variant) ParseDiagram(d Diagram) (game.Position, error) {
	if v.game.Diagram == nil {
		return nil, fmt.Errorf("%s has no drawings", v.Game)
	}
	return v.game.Diagram(v, d)
}

// SetupPart is a part of a setup. Who asked for the setup knows how it was given: by
// a flag, or by a field of a query.
type SetupPart uint8

// The parts of a setup.
const (
	StonesPart SetupPart = iota
	ToMovePart           // missing, where the count of stones does not tell it
	CapturedPart
)

// SetupError says which part of a setup is impossible. It wraps the game's error,
// and has its text.
type SetupError struct {
	Part SetupPart
	Err  error
}

func (e *SetupError) Error() string { return e.Err.Error() }

// Unwrap returns the game's error.
func (e *SetupError) Unwrap() error { return e.Err }

// Names of the options that an [OptionError] can be about.
const (
	OpenRuleOption = "open-rule" // [VariantOptions.OpenRule]
	CardsOption    = "cards"     // [VariantOptions.Cards]
	ToMoveOption   = "to-move"   // [Diagram.ToMove]
	CapturedOption = "captured"  // [Diagram.Captured]
)

// OptionError says that a game has no use for some options.
type OptionError struct {
	Options []string // their names, see above
	Why     string   // what the sentence says after them
}

func (e *OptionError) Error() string { return e.Naming(func(option string) string { return option }) }

// Naming returns the text of the error with the options named as name does it: a
// command line and a query have their own names for them.
func (e *OptionError) Naming(name func(option string) string) string {
	names := make([]string, len(e.Options))
	for i, option := range e.Options {
		names[i] = name(option)
	}
	return strings.Join(names, " and ") + " " + e.Why
}
