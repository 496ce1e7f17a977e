package games

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Stone is what is on a cell of a board.
type Stone = gomoku.Stone

// What is on a cell.
const (
	NoStone     = gomoku.Empty
	FirstStone  = gomoku.FirstStone
	SecondStone = gomoku.SecondStone
)

// Forbidden is an empty cell that the side to move may not play, with the reasons
// by name, the gravest first.
type Forbidden struct {
	Move    game.Move
	Reasons []string
}

// Centre returns the move to the centre of an empty board whose moves are its cells; of a
// board of an even size to the one of the four cells that is farthest from the first. It
// returns false in other positions, and where the rules forbid that move.
func (v Variant) Centre(pos game.Position) (game.Move, bool) {
	n := v.Columns()
	if n == 0 || pos.Ply() > 0 {
		return game.NoMove, false
	}
	for _, s := range v.Stones(pos) {
		if s != NoStone {
			return game.NoMove, false
		}
	}
	m := game.Move(n/2*n + n/2)
	return m, pos.Legal(m)
}

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

// Text returns a position in the notation of the command line, which
// [Rules.Parse] reads; "" for one that was set up, as no moves lead to it, and for
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

// Threats are the points of one side in a game of lines, judged as if it were to
// move and on the lines alone, in ascending order: those of the network's input
// planes. A point may stand in several lists.
type Threats struct {
	Fives     []game.Move // where a stone wins
	Fours     []game.Move // where a stone makes a point that wins next, which did not before
	OpenFours []game.Move // where a stone leaves points that win, which no one reply takes away
}
