package book

import (
	"encoding/json"
	"fmt"

	"github.com/carozero/carozero/game/gomoku"
)

// Variant is what positions are of: rules as data and the size of the board. The opening
// rule is one of the rules.
type Variant struct {
	Rules gomoku.Rules
	Size  int
}

// VariantOf returns the variant of a board.
func VariantOf(b *gomoku.Board) Variant { return Variant{b.Rules(), b.Size()} }

// String names the variant for a person: "caro 15x15".
func (v Variant) String() string {
	text := fmt.Sprintf("%s %dx%d", v.Rules.Name, v.Size, v.Size)
	if v.Rules.OpenDistance > 0 {
		text += " with the opening rule"
	}
	return text
}

// text returns the rules as the book stores them.
func (v Variant) text() string {
	data, err := json.Marshal(v.Rules)
	if err != nil {
		panic(err) // strings, numbers and truths
	}
	return string(data)
}

// parseVariant reads what text returns.
func parseVariant(text string, size int) (Variant, error) {
	v := Variant{Size: size}
	if err := json.Unmarshal([]byte(text), &v.Rules); err != nil {
		return v, damaged("the rules of a variant cannot be read")
	}
	if v.text() != text {
		return v, damaged("the rules of a variant are not in their one form")
	}
	if _, err := gomoku.New(v.Rules, size); err != nil {
		return v, damaged("a variant: %v", err)
	}
	known, err := gomoku.Lookup(v.Rules.Name)
	known.OpenDistance = v.Rules.OpenDistance
	if err == nil && known != v.Rules {
		return v, damaged("the rules of a variant are not those of %s", v.Rules.Name)
	}
	return v, nil
}
