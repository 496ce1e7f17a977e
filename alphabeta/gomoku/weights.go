package gomoku

import (
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// The features of a position, in the order of their numbers.
const (
	// FreeCells and the Codes-1 features after it count the empty cells of a
	// side by pattern.Board.Code, those of the side to move less those of its
	// opponent. A side that renju restricts has BoundCells instead.
	FreeCells  = 0
	BoundCells = FreeCells + pattern.Codes

	// Standing+Levels*own+opp is 1 for the strongest threats own of the side
	// to move and opp of its opponent, both 0..Levels-1; it holds the worth of
	// the turn as well.
	Standing = BoundCells + pattern.Codes

	// Contested+Classes*own+opp counts the empty cells where a stone of the
	// side to move makes the class own and one of its opponent the class opp,
	// by pattern.Board.LineClass. Those where neither makes anything are left
	// out; they are as many as the board is large.
	Contested = Standing + Levels*Levels

	// OwnCells+Numbers*class+n is 1 if the side to move has n cells where its stone
	// makes that class, countedFrom..countedTo, or at least n if that is
	// Numbers-1; OppCells+Numbers*class+n says the same of its opponent.
	OwnCells = Contested + int(pattern.Classes)*int(pattern.Classes)
	OppCells = OwnCells + Numbers*int(pattern.Classes)

	// Under the capture rule: Taken+n, n of 1..4, is what a side has captured
	// in pairs, those of the side to move less those of its opponent; OwnPrey
	// and OppPrey count the stones of the side to move and of its opponent
	// that the other could capture now, OwnBreak and OppBreak those of them
	// that stand in a line of three or more, all at most mostPrey.
	Taken    = OppCells + Numbers*int(pattern.Classes)
	OwnPrey  = Taken + takenSteps
	OppPrey  = OwnPrey + 1
	OwnBreak = OppPrey + 1
	OppBreak = OwnBreak + 1

	NumFeatures = OppBreak + 1
)

// The classes whose cells are counted, and the different numbers of them.
const (
	countedFrom = pattern.HalfTwo
	countedTo   = pattern.OpenFour

	Numbers = 16
)

const (
	takenSteps = 5 // captured pairs, 0..4
	mostPrey   = 6
)

// FullPhase is the number of stones on the board from which on the late weights
// count alone.
const FullPhase = 60

// Weights are those of the evaluation for one rule set, in units of score by
// feature. With s the stones on the board, at most FullPhase, and n[f] the
// count of feature f, the score for the side to move is
//
//	sum over f of n[f] * ((FullPhase-s)*Early[f] + s*Late[f]) / FullPhase
//
// rounded towards zero once, at the end. A score is about 200 times the
// logarithm of the odds of winning.
type Weights struct {
	Early, Late [NumFeatures]int16
}

// Phase returns the s of a position; see Weights.
func Phase(b *pattern.Board) int { return min(b.Stones().Len(), FullPhase) }

// taper returns the score of two sums of weights.
func taper(early, late, phase int) int {
	return (early*(FullPhase-phase) + late*phase) / FullPhase
}

// Score returns what an evaluation of b returns, computed from its Features.
func (w *Weights) Score(b *pattern.Board) int {
	early, late := 0, 0
	Features(b, func(feature, count int) {
		early += count * int(w.Early[feature])
		late += count * int(w.Late[feature])
	})
	return taper(early, late, Phase(b))
}

// Features calls visit for the features of a position that is not over, some of
// them several times.
func Features(b *pattern.Board, visit func(feature, count int)) {
	r := b.Board().Rules()
	stones := b.Stones()
	own := b.ToMove()
	for c := range b.MaxMoves() {
		if stones.Has(c) {
			continue
		}
		visit(cellBase(&r, own)+b.Code(c, own), 1)
		visit(cellBase(&r, own.Other())+b.Code(c, own.Other()), -1)
		if f := contested(b.LineClass(c, own), b.LineClass(c, own.Other())); f != Contested {
			visit(f, 1)
		}
	}
	visit(standing(b), 1)
	for class := countedFrom; class <= countedTo; class++ {
		visit(OwnCells+number(b, own, class), 1)
		visit(OppCells+number(b, own.Other(), class), 1)
	}
	if r.Captures {
		captureFeatures(b, visit)
	}
}

// contested returns the feature of an empty cell by what both sides make there.
func contested(own, opp pattern.Class) int {
	return Contested + int(pattern.Classes)*int(own) + int(opp)
}

// number returns the feature, counted from the first, of how many cells of a
// class a side has.
func number(b *pattern.Board, side game.Side, class pattern.Class) int {
	return Numbers*int(class) + min(b.Count(side, class), Numbers-1)
}

// cellBase returns the feature of a side's cells with code 0.
func cellBase(r *rules.Rules, side game.Side) int {
	if r.Renju[side] {
		return BoundCells
	}
	return FreeCells
}

// fittedWeights holds the generated weights by the name of the rule set. Package
// fit has the recipe.
var fittedWeights = map[string]*Weights{
	"caro":      &caroWeights,
	"freestyle": &freestyleWeights,
	"renju":     &renjuWeights,
	"school42":  &school42Weights,
	"standard":  &standardWeights,

	// The kinds of caro play so much alike that one set of weights serves all.
	"caro-overline":      &caroWeights,
	"caro-edge":          &caroWeights,
	"caro-edge-overline": &caroWeights,
}

// fittedOrders holds the generated orders of moves by the name of the rule set,
// that of freestyle for all others.
var fittedOrders = map[string]*Order{
	"freestyle": &freestyleOrder,
}
