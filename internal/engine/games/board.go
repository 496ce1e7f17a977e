package games

import "github.com/carozero/carozero/game"

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
