package games

import (
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
	Check:     checkOnitama,

	Parameters: func(Variant) any { return struct{ Name string }{Onitama} },
	Start: func(_ Variant, rng *rand.Rand) (game.Position, error) {
		if rng == nil {
			return onitama.ParsePosition(DefaultDeal)
		}
		return onitama.New(onitama.RandomDeal(rng))
	},
	Position: func(_ Variant, text string) (game.Position, error) {
		if text == "" {
			text = DefaultDeal
		}
		return onitama.ParsePosition(text)
	},
	Parse: func(_ Variant, text string) (game.Position, []game.Move, error) {
		if text == "" {
			text = DefaultDeal
		}
		return onitama.ParseGame(text)
	},
	Format: func(_ Variant, start game.Position, moves []game.Move) string {
		return onitama.FormatPosition(start.(*onitama.Board).Start(), moves)
	},
	Diagram: func(_ Variant, d Diagram) (game.Position, error) {
		if d.ToMove != nil || d.Captured != [2]int{} {
			return nil, &OptionError{[]string{ToMoveOption, CapturedOption}, "are for gomoku; an onitama diagram has a line 'to move:'"}
		}
		return onitama.ParseDiagram(d.Text)
	},
	Notation:  func(Variant) game.Notation { return onitama.Notation{} },
	Encoder:   func(Variant) (nn.Encoder, error) { return onitamanet.New(), nil },
	Classical: func(Variant, Evaluation) alphabeta.Game { return onitamasearch.Game{} },
	Endgames:  openOnitamaEndgames,
	Columns:   func(Variant) int { return 0 },
	Display:   onitamaDisplay,
	Step:      onitamaStep,
	Played:    onitamaPlayed,
	About: func(Variant) About {
		return About{
			Title: "Onitama",
			Text:  "Two moves are on each player's cards; take the master, or bring your own to the other temple.",
		}
	},
}

// checkOnitama returns the only variant of Onitama.
func checkOnitama(o VariantOptions) (VariantOptions, any, error) {
	if o.OpenRule {
		return o, nil, &OptionError{[]string{OpenRuleOption}, "is for gomoku, not for onitama"}
	}
	return VariantOptions{Size: onitamaSize, Rule: Onitama}, nil, nil
}
