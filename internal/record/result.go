package record

import (
	"strings"

	"github.com/carozero/carozero/game"
)

// Outcome reads the result of the game. What is unknown or void is Undecided, a
// win whose reason the record does not give has NoReason.
func (t *Tree) Outcome() (game.Outcome, game.Reason) {
	text := strings.ToLower(strings.TrimSpace(t.Result))
	switch text {
	case "0", "draw":
		return game.Draw, game.NoReason
	}
	winner, how, ok := strings.Cut(text, "+")
	if !ok {
		return game.Undecided, game.NoReason
	}
	outcome := game.Undecided
	switch winner {
	case "b", "black":
		outcome = game.FirstWins
	case "w", "white":
		outcome = game.SecondWins
	default:
		return game.Undecided, game.NoReason
	}
	switch how {
	case "draw":
		return game.Draw, game.NoReason
	case "r", "resign":
		return outcome, game.Resigned
	case "t", "time", "f", "forfeit":
		return outcome, game.Forfeit
	}
	return outcome, game.NoReason
}

// SetOutcome records the result of a game, as far as SGF has words for its reason.
func (t *Tree) SetOutcome(o game.Outcome, r game.Reason) {
	switch o {
	case game.Undecided:
		t.Result = ""
		return
	case game.Draw:
		t.Result = "0"
		return
	case game.FirstWins:
		t.Result = "B+"
	case game.SecondWins:
		t.Result = "W+"
	}
	switch r {
	case game.Resigned:
		t.Result += "R"
	case game.Forfeit:
		t.Result += "F"
	}
}
