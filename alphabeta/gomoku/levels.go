package gomoku

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Levels of the strongest threats that a side can make with one stone.
const (
	levelNone          = iota
	levelDoubleTwo     // two open twos by one stone
	levelStrongThree   // a closed three and something beside
	levelThree         // one cell that makes an open three
	levelThrees        // two
	levelManyThrees    // three or four
	levelMostThrees    // more
	levelDoubleThree   // one cell that makes two open threes
	levelDoubleThrees  // several
	levelFour          // fours in one line
	levelFours         // fours in several lines
	levelFourAndThree  // fours in one line and, elsewhere, open threes
	levelFoursAndThree // the same with several lines
	levelFourAndTwice  // fours in one line and, elsewhere, two open threes by one stone
	levelFoursAndTwice // the same with several lines
	levelFourThree     // a four and an open three by one stone
	levelOpenFour      // an open four, or two fours by one stone
	levelFive          // a win

	Levels // their number
)

// A line with a four has two cells for it.
const fourCells = 2

// level returns the level of a side.
func level(b *pattern.Board, side game.Side) int {
	threes, doubles := b.Count(side, pattern.Three), b.Count(side, pattern.DoubleThree)
	switch fours := b.Count(side, pattern.Four); {
	case b.Count(side, pattern.Five) > 0:
		return levelFive
	case b.Count(side, pattern.OpenFour) > 0, b.Count(side, pattern.DoubleFour) > 0:
		return levelOpenFour
	case b.Count(side, pattern.FourThree) > 0:
		return levelFourThree
	case fours > 0:
		l := levelFour
		if doubles > 0 {
			l = levelFourAndTwice
		} else if threes > 0 {
			l = levelFourAndThree
		}
		if fours > fourCells {
			l++
		}
		return l
	case doubles > 1:
		return levelDoubleThrees
	case doubles > 0:
		return levelDoubleThree
	case threes > 4:
		return levelMostThrees
	case threes > 2:
		return levelManyThrees
	case threes > 1:
		return levelThrees
	case threes > 0:
		return levelThree
	case b.Count(side, pattern.StrongThree) > 0:
		return levelStrongThree
	case b.Count(side, pattern.DoubleTwo) > 0:
		return levelDoubleTwo
	}
	return levelNone
}

// standing returns the feature of the levels of both sides.
func standing(b *pattern.Board) int {
	own := b.ToMove()
	return Standing + Levels*level(b, own) + level(b, own.Other())
}
