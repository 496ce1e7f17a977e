package games

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
)

// Stone is what is on a cell of a board.
type Stone uint8

// What is on a cell.
const (
	NoStone Stone = iota
	FirstStone
	SecondStone
)

// Stones returns what is on each cell of a board whose moves are its cells, in
// their order; nil for games whose boards are no such.
func (v Variant) Stones(pos game.Position) []Stone {
	if v.game.Stones == nil {
		return nil
	}
	return v.game.Stones(pos)
}

// Forbidden is an empty cell that the side to move may not play, with the reasons
// by name, the gravest first.
type Forbidden struct {
	Move    game.Move
	Reasons []string
}

// HasForbidden reports whether the rules of the game can forbid empty cells.
func (g *Game) HasForbidden() bool { return g.Forbidden != nil }

// Forbidden returns the empty cells that the side to move may not play. It must
// not be asked of a game without HasForbidden.
func (v Variant) Forbidden(pos game.Position) []Forbidden { return v.game.Forbidden(pos) }

// HasSizes reports whether the game has boards of several sizes.
func (g *Game) HasSizes() bool { return g.DrawnSize != nil }

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

// Threats are the points of one side in a game of lines, judged as if it were to
// move and on the lines alone, in ascending order: those of the network's input
// planes. A point may stand in several lists.
type Threats struct {
	Fives     []game.Move // where a stone wins
	Fours     []game.Move // where a stone makes a point that wins next, which did not before
	OpenFours []game.Move // where a stone leaves points that win, which no one reply takes away
}

// HasThreats reports whether the game has points that threaten.
func (g *Game) HasThreats() bool { return g.Threats != nil }

// Threats returns the points of both sides, by [game.Side]. It must not be asked of
// a game without HasThreats.
func (v Variant) Threats(pos game.Position) [2]Threats { return v.game.Threats(pos) }

// Symmetries returns the maps of moves, other than the identity, under which an
// undecided position stays what it is; none for games whose moves are no cells.
func (v Variant) Symmetries(pos game.Position) []func(game.Move) game.Move {
	if v.game.Symmetries == nil {
		return nil
	}
	return v.game.Symmetries(pos)
}
