package fit

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Game is a finished game of gomoku.
type Game struct {
	Rules   gomoku.Rules
	Size    int
	Moves   []game.Move // legal, from the empty board
	Opening int         // leading moves that nobody chose
	Scores  []float64   // what a search thought of each of Moves, for the first player; NaN where it did not; nil if of none
	Outcome game.Outcome
	Reason  game.Reason
}
