package games

import (
	"fmt"
	"math/rand/v2"

	"github.com/carozero/carozero/alphabeta"
	onitamasearch "github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/nn"
	onitamanet "github.com/carozero/carozero/nn/onitama"
)

// Onitama names Onitama, and its only rule set.
const Onitama = "onitama"

// DefaultDeal is the Onitama deal used where no position says another.
const DefaultDeal = "Monkey,Crane/Tiger,Crab/Dragon"

// onitamaSize is the side length of the Onitama board.
const onitamaSize = 5

// onitamaGame describes Onitama.
var onitamaGame = Game{
	Name:      Onitama,
	RuleSets:  []string{Onitama},
	MoveLimit: 300,
	Untrained: true,
	Inputs:    Inputs{Version: onitamanet.Version, Planes: onitamanet.PlaneNames(), Globals: onitamanet.GlobalNames()},
	check:     checkOnitama,

	parameters: func(Variant) any { return struct{ Name string }{Onitama} },
	start: func(_ Variant, rng *rand.Rand) (game.Position, error) {
		if rng == nil {
			return onitama.ParsePosition(DefaultDeal)
		}
		return onitama.New(onitama.RandomDeal(rng))
	},
	position: func(_ Variant, text string) (game.Position, error) {
		if text == "" {
			text = DefaultDeal
		}
		return onitama.ParsePosition(text)
	},
	parse: func(_ Variant, text string) (game.Position, []game.Move, error) {
		if text == "" {
			text = DefaultDeal
		}
		return onitama.ParseGame(text)
	},
	format: func(_ Variant, start game.Position, moves []game.Move) string {
		return onitama.FormatPosition(start.(*onitama.Board).Start(), moves)
	},
	diagram: func(_ Variant, d Diagram) (game.Position, error) {
		if d.ToMove != nil || d.Captured != [2]int{} {
			return nil, fmt.Errorf("--to-move and --captured are for gomoku; an onitama diagram has a line 'to move:'")
		}
		return onitama.ParseDiagram(d.Text)
	},
	notation:  func(Variant) game.Notation { return onitama.Notation{} },
	encoder:   func(Variant) (nn.Encoder, error) { return onitamanet.New(), nil },
	classical: func(Variant, ClassicalOptions) alphabeta.Game { return onitamasearch.Game{} },
	columns:   func(Variant) int { return 0 },
	display:   onitamaDisplay,
	step:      onitamaStep,
	text:      onitamaText,
	about: func(Variant) About {
		return About{
			Title: "Onitama",
			Text:  "Two moves are on each player's cards; take the master, or bring your own to the other temple.",
		}
	},
}

// checkOnitama returns the only variant of Onitama.
func checkOnitama(o VariantOptions) (Variant, error) {
	if o.OpenRule {
		return Variant{}, fmt.Errorf("--open-rule is for gomoku, not for onitama")
	}
	return Variant{Size: onitamaSize, rule: Onitama}, nil
}
