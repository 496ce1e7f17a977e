// Package gomoku plugs the gomoku family into the classical search: an
// evaluation with fitted weights, moves in stages, and a solver of continuous
// fours. All of it reads the line patterns that pattern.Board keeps up to date.
//
// # Evaluation
//
// The score is linear in features, each with a weight for the beginning of a
// game and one for its end, between which the number of stones moves (see
// [Weights]). The features are the empty cells of either side by their
// combination of four lines (pattern.Board.Code), and by what both sides make
// there (pattern.Board.LineClass), of which the board keeps the weighted sums;
// how many cells of each class either side has, up to a number beyond which more
// of them add nothing; the strongest threats that both sides have (see
// below); and, where stones are captured, what has been taken and can be
// taken next.
// [Features] lists them for a position, the slow way that a fit uses.
//
// # Moves
//
// Picker lists the defences against what the opponent threatens first. Against a
// five or an open four in one move, only what may still save the side to move is
// listed: defence.go has the arguments why the rest loses. Otherwise it lists the
// cells near stones. An [Order] fitted to the moves of searches says which are
// likely to be best.
//
// # Fours
//
// At every node the solver looks for a win by fours alone, with more moves the
// more depth is left; fours.go says how it differs from package vcf, and
// fours.go does the same where stones are captured, within a share of all
// nodes.
//
// # Renju
//
// A four whose only gap is forbidden to Black wins at once, though the lines do not
// say so: defence.go. The evaluation knows neither these nor where Black may not stop an
// open three, so that evaluation.Quiet keeps margins away from both.
//
// # Captures
//
// Where stones are captured lines alone do not say which threats stand. There
// evaluation.Quiet keeps margins away from threats; fours, captures and what
// weakens the opponent's open fours are tactical moves, which are never pruned;
// and quiescence goes on under a five that must be broken.
package gomoku

import (
	"fmt"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Game plugs the gomoku family into an alphabeta.Searcher, under the rules of
// the position that is searched. The zero value is ready.
type Game struct {
	// Models returns the model for a rule set. Nil stands for Shipped. It may
	// be called by several goroutines at a time.
	Models func(rules.Rules) *Model

	// Evaluator returns what evaluates a board in place of the model and of the
	// fitted order of moves. Nil: these are used.
	Evaluator func(*pattern.Board) Evaluator
}

// Techniques leaves all at their usual values, which were found in games of gomoku.
func (Game) Techniques() alphabeta.Options { return alphabeta.Options{} }

// Bind returns the heuristics of a search from pos, a gomoku.Board, which it copies,
// or a pattern.Board, which it keeps.
func (g Game) Bind(pos game.Position) (alphabeta.Heuristics, error) {
	var b *pattern.Board
	switch pos := pos.(type) {
	case *pattern.Board:
		b = pos
	case *rules.Board:
		b = pattern.FromBoard(pos)
	default:
		return alphabeta.Heuristics{}, fmt.Errorf("gomoku: %T is not a board of gomoku", pos)
	}
	models := g.Models
	if models == nil {
		models = Shipped
	}
	model := models(b.Board().Rules())
	known, picker := newEvaluation(b, model), newPicker(b)
	heuristics := alphabeta.Heuristics{
		Position:   b,
		Evaluation: known,
		Picker:     picker,
		Quiescence: &quiescence{picker},
		Solver:     newSolver(b),
		Resistance: &resistance{b},
		Slots:      b.MaxMoves(),
	}
	if b.Board().Rules().Captures {
		heuristics.SolverShare = captureShare
	}
	if g.Evaluator == nil {
		b.SetValues(model.values)
		return heuristics, nil
	}
	b.SetValues(nil)
	j := g.Evaluator(b)
	heuristics.Evaluation = &externalEvaluation{known, j.Value}
	if j.Policy != nil {
		heuristics.Prior = &prior{j.Policy, make([]game.Move, 0, b.MaxMoves()), make([]int32, b.MaxMoves())}
	}
	return heuristics, nil
}

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
