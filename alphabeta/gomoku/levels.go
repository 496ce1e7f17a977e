package gomoku

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Levels of the strongest threat that a side could make with one stone.
const (
	levelNone         = iota
	levelThree        // one open three
	levelThrees       // several
	levelDoubleThree  // two open threes by one stone
	levelFour         // a four
	levelFourAndThree // a four and, elsewhere, an open three
	levelFourThree    // a four and an open three by one stone
	levelOpenFour     // an open four, or two fours by one stone
	levelFive         // a win

	Levels // their number
)

// level returns the level of a side.
func level(b *pattern.Board, side game.Side) int {
	threes := b.Count(side, pattern.Three)
	switch {
	case b.Count(side, pattern.Five) > 0:
		return levelFive
	case b.Count(side, pattern.OpenFour) > 0, b.Count(side, pattern.DoubleFour) > 0:
		return levelOpenFour
	case b.Count(side, pattern.FourThree) > 0:
		return levelFourThree
	case b.Count(side, pattern.Four) > 0:
		if threes+b.Count(side, pattern.DoubleThree) > 0 {
			return levelFourAndThree
		}
		return levelFour
	case b.Count(side, pattern.DoubleThree) > 0:
		return levelDoubleThree
	case threes > 1:
		return levelThrees
	case threes > 0:
		return levelThree
	}
	return levelNone
}

// standing returns the feature of the levels of both sides.
func standing(b *pattern.Board) int {
	own := b.ToMove()
	return Standing + Levels*level(b, own) + level(b, own.Other())
}
