package games

import (
	"slices"

	"github.com/carozero/carozero/game"
)

// Played returns the moves that led to a position from the start of its game, which
// undoing them gives back; ok is false if they are not known, as for one that was set
// up.
func (v Variant) Played(pos game.Position) (moves []game.Move, ok bool) {
	if v.game.Played == nil {
		return nil, false
	}
	return v.game.Played(pos)
}

// Text returns a position in the notation of the command line, which
// [Variant.Parse] reads; "" for one that was set up, as no moves lead to it, and for
// the usual start of a game whose moves are cells.
func (v Variant) Text(pos game.Position) string {
	if moves, ok := v.Played(pos); ok {
		return v.FormatGame(pos, moves)
	}
	return ""
}

// About says what there is to know of a rule set before one plays by it.
type About struct {
	Title     string
	Text      string  // sentences
	Captures  bool    // stones are taken
	Forbidden [2]bool // points are forbidden to first, to second
}

// About returns what there is to know of the variant's rules.
func (v Variant) About() About {
	if v.game.About == nil {
		return About{Title: v.rule}
	}
	return v.game.About(v)
}

// VariantOf returns the variant of a rule set, whichever game has it, on a board of a
// size; 0 is the usual one.
func VariantOf(rule string, size int) (Variant, error) {
	for _, g := range list {
		if slices.Contains(g.RuleSets, rule) {
			return NewVariant(VariantOptions{Game: g.Name, Rule: rule, Size: size})
		}
	}
	return NewVariant(VariantOptions{Rule: rule, Size: size})
}

// GameOf returns the name of the first game whose moves are cells of its board, or of
// the first whose moves are not.
func GameOf(cells bool) string {
	for _, g := range list {
		if v, err := NewVariant(VariantOptions{Game: g.Name}); err == nil && v.Columns() > 0 == cells {
			return g.Name
		}
	}
	return list[0].Name
}
