package games

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
)

// Display is what a person sees of a position: a square board whose squares are
// numbered row by row from the bottom left, and what lies beside it.
type Display struct {
	Size     int
	Pieces   []Piece  // by square
	Last     []int    // squares of the last move, where it went to first
	Win      []int    // squares of the lines that have won, ascending
	Captured *[2]int  // pieces that each side has taken off the board; nil: they do not count in this game
	Temples  []int    // squares to be reached
	Hands    [][]Card // the cards of first and second, and the spare ones; nil: there are none
}

// Piece is what is on a square of a Display.
type Piece struct {
	Stone  Stone
	Master bool // the piece that must not be lost
}

// Card is a card of a game that has some.
type Card struct {
	Name  string
	Steps [][2]int // columns to the right and rows ahead, as its owner sees them
}

// Step is a move as a person makes it on a Display.
type Step struct {
	From int    // square of the piece that moves, -1: the move puts a new one
	To   int    // -1: a pass
	Card string // that the move uses; "": none
}

// Display returns what a person sees of a position.
func (v Variant) Display(pos game.Position) Display {
	if v.game.Display != nil {
		return v.game.Display(v, pos)
	}
	d := Display{Size: v.Size, Pieces: make([]Piece, v.Size*v.Size)}
	for c, stone := range v.Stones(pos) {
		d.Pieces[c].Stone = stone
	}
	return d
}

// Step returns the move m as a person makes it.
func (v Variant) Step(m game.Move) Step {
	if v.game.Step != nil {
		return v.game.Step(m)
	}
	return Step{From: -1, To: int(m)}
}

// Drawing returns a position as text for a person: as the game draws it, or else one
// line a row, the topmost first, with '.' for an empty square, X for the first player
// and O for the second.
func (v Variant) Drawing(pos game.Position) string {
	if drawn, ok := pos.(fmt.Stringer); ok {
		return drawn.String()
	}
	d := v.Display(pos)
	var b strings.Builder
	for y := d.Size - 1; y >= 0; y-- {
		for x := range d.Size {
			if x > 0 {
				b.WriteByte(' ')
			}
			b.WriteByte(".XO"[d.Pieces[y*d.Size+x].Stone])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
