package gomoku

import (
	"math"

	"github.com/carozero/carozero/alphabeta"
)

// Judge judges the board that it was made for, whenever it is asked, in place of
// the fitted numbers. It belongs to the thread that searches and allocates nothing.
type Judge struct {
	// Value returns the worth of the board to its side to move, on the scale of the
	// fitted evaluation.
	Value func() alphabeta.Score

	// Policy computes for every cell the natural logarithm of the odds that it is
	// the best move, up to a number that is the same for all cells, in 2^-PriorBits.
	// What it says of cells that may not be played does not matter. Nil: nothing is
	// known but the fitted order.
	Policy func(logits []int32)
}

// PriorBits says that what a Judge's Policy computes counts 2^-PriorBits.
const PriorBits = 15

// judged is an evaluation by another judge. What margins need to know is as with
// the model's.
type judged struct {
	*evaluation
	value func() alphabeta.Score
}

// Evaluate returns what the judge says.
func (j *judged) Evaluate() alphabeta.Score { return j.value() }

// prior is an alphabeta.Prior by a Judge's Policy.
type prior struct {
	policy func(logits []int32)
	logits []int32
}

// natural is what a natural logarithm counts on the scale of hints.
const natural = 100 * hintUnit

// Rate implements alphabeta.Prior: the hint of a quiet move is the logarithm of its
// odds against the best of the moves.
func (p *prior) Rate(moves []alphabeta.ScoredMove) {
	if len(moves) < 2 {
		return
	}
	p.policy(p.logits)
	best := int32(math.MinInt32)
	for i := range moves {
		best = max(best, p.logits[moves[i].Move])
	}
	for i := range moves {
		if e := &moves[i]; e.Kind == alphabeta.Quiet {
			behind := int64(best) - int64(p.logits[e.Move])
			e.Hint = int32(-behind * natural >> PriorBits)
			e.Behind = int16(min(behind*alphabeta.BehindUnit>>PriorBits, math.MaxInt16))
		}
	}
}
