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

	// Under the capture rule: Taken+n, n of 1..4, is what a side has captured
	// in pairs, those of the side to move less those of its opponent; OwnPrey
	// and OppPrey count the stones of the side to move and of its opponent
	// that the other could capture now, OwnBreak and OppBreak those of them
	// that stand in a line of three or more, all at most mostPrey.
	Taken    = Standing + Levels*Levels
	OwnPrey  = Taken + takenSteps
	OppPrey  = OwnPrey + 1
	OwnBreak = OppPrey + 1
	OppBreak = OwnBreak + 1

	NumFeatures = OppBreak + 1
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
	}
	visit(standing(b), 1)
	if r.Captures {
		captureFeatures(b, visit)
	}
}

// cellBase returns the feature of a side's cells with code 0.
func cellBase(r *rules.Rules, side game.Side) int {
	if r.Renju[side] {
		return BoundCells
	}
	return FreeCells
}
