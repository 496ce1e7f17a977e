package games

import "github.com/carozero/carozero/game"

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
