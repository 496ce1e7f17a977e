package engine

import (
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/onitama"
)

// MaxInFlight bounds the playouts that one search may have under way.
const MaxInFlight = 256

// DefaultInFlight is what a search uses where nothing else is asked for.
const DefaultInFlight = 2

// DefaultDeal is the Onitama deal used where no position says another.
const DefaultDeal = "Monkey,Crane/Tiger,Crab/Dragon"

// Start returns the starting position.
func (v Variant) Start() (game.Position, error) { return v.Parse("") }

// Parse reads a position in the variant's notation: gomoku's moves from the
// empty board, or Onitama's deal and moves. "" is the start of the game.
func (v Variant) Parse(text string) (game.Position, error) {
	if v.Game == Onitama {
		if text == "" {
			text = DefaultDeal
		}
		return onitama.ParsePosition(text)
	}
	return gomoku.ParsePosition(v.rules, v.Size, text)
}

// Diagram is a position drawn as text, with what a drawing leaves open.
type Diagram struct {
	Text     string
	ToMove   *game.Side // nil: by the count of stones, or as the drawing says
	Captured [2]int     // stones taken off the board, by the side that took them
}

// ParseDiagram reads a drawing. Onitama's drawings name the side to move and
// the cards themselves.
func (v Variant) ParseDiagram(d Diagram) (game.Position, error) {
	if v.Game == Onitama {
		if d.ToMove != nil || d.Captured != [2]int{} {
			return nil, fmt.Errorf("--to-move and --captured are for gomoku; an onitama diagram has a line 'to move:'")
		}
		return onitama.ParseDiagram(d.Text)
	}
	return gomoku.ParseDiagram(v.rules, v.Size, d.Text, gomoku.DiagramOptions{ToMove: d.ToMove, Captured: d.Captured})
}
