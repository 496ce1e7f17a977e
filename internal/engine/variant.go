package engine

import (
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/nn"
	gomokunet "github.com/carozero/carozero/nn/gomoku"
)

// The names of the games.
const (
	Gomoku  = "gomoku"
	Onitama = "onitama"
)

// Variant names a game with everything that its rules leave open. Make one
// with NewVariant; it is a value and safe to share.
type Variant struct {
	Game string
	Size int // side length of the board

	rules gomoku.Rules // Gomoku only
}

// VariantOptions name a variant as a command line does. Empty strings and
// zeros stand for the defaults: gomoku, caro, 15.
type VariantOptions struct {
	Game, Rule string
	Size       int
	OpenRule   bool // the third stone at least three columns or rows from the first
}

// Defaults of VariantOptions.
const (
	DefaultRule = gomoku.DefaultRule
	DefaultSize = 15
)

// onitamaSize is the side length of the Onitama board.
const onitamaSize = 5

// openDistance is the distance that the opening restriction demands.
const openDistance = 3

// NewVariant checks the options. Its errors are about names and numbers that
// the user gave.
func NewVariant(o VariantOptions) (Variant, error) {
	switch o.Game {
	case "", Gomoku:
		return newGomoku(o)
	case Onitama:
		if o.OpenRule {
			return Variant{}, fmt.Errorf("--open-rule is for gomoku, not for onitama")
		}
		return Variant{Game: Onitama, Size: onitamaSize}, nil
	}
	return Variant{}, fmt.Errorf("unknown game %q: the games are %s and %s", o.Game, Gomoku, Onitama)
}

func newGomoku(o VariantOptions) (Variant, error) {
	v := Variant{Game: Gomoku, Size: o.Size}
	if o.Rule == "" {
		o.Rule = DefaultRule
	}
	if v.Size == 0 {
		v.Size = DefaultSize
	}
	var err error
	if v.rules, err = gomoku.Lookup(o.Rule); err != nil {
		return Variant{}, err
	}
	if o.OpenRule {
		v.rules.OpenDistance = openDistance
	}
	_, err = gomoku.New(v.rules, v.Size)
	return v, err
}

// Rule returns the name of the rule set; Onitama has but one, of its own name.
func (v Variant) Rule() string {
	if v.Game == Onitama {
		return Onitama
	}
	return v.rules.Name
}

// RuleNames returns the names of the rule sets of gomoku.
func RuleNames() []string { return gomoku.Names() }

// Rules returns the rule set of a gomoku variant.
func (v Variant) Rules() gomoku.Rules { return v.rules }

// Encoder returns a new encoder of the network's inputs. Games without input
// planes have none, which is an error.
func (v Variant) Encoder() (nn.Encoder, error) {
	if v.Game == Onitama {
		return nil, fmt.Errorf("onitama has no input planes yet: use --model uniform")
	}
	return gomokunet.New(v.rules, v.Size)
}

// Notation returns the text form of the variant's moves.
func (v Variant) Notation() game.Notation {
	if v.Game == Onitama {
		return onitama.Notation{}
	}
	return gomoku.Notation{Size: v.Size}
}
