package pattern

import "github.com/carozero/carozero/game"

// Closed returns the empty cells that side may not play, were it to move: those
// for which gomoku.Board.AllowedFor says no.
func (b *Board) Closed(side game.Side) Set {
	sets := &b.sets[side]
	switch {
	case b.rules.OpenDistance > 0 && b.counts[side][Occupied] == openStones:
		return b.closedAmong(side, b.geo.board.Without(&sets[Occupied]))
	case b.rules.DoubleThree:
		// Two free-threes are two lines of OpenThree or better.
		strong := sets[DoubleThree].Or(&sets[FourThree]).Or(&sets[DoubleFour])
		return b.closedAmong(side, strong.Or(&sets[OpenFour]).Or(&sets[Five]))
	case b.counts[side][Suspect] > 0:
		closed := b.closedAmong(side, sets[Suspect])
		return closed.Or(&sets[Forbidden])
	}
	return sets[Forbidden]
}

// openStones is the number of stones on the board when the opening distance
// restricts a move.
const openStones = 2

// closedAmong returns those of the empty cells in s that side may not play.
func (b *Board) closedAmong(side game.Side, s Set) Set {
	for c := s.Next(0); c >= 0; c = s.Next(c + 1) {
		if b.board.AllowedFor(side, c) {
			s.Remove(c)
		}
	}
	return s
}
