package gomoku

import (
	"math"
	"slices"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
)

// Judge judges the board that it was made for, whenever it is asked, in place of
// the fitted numbers. It belongs to the thread that searches and allocates nothing.
type Judge struct {
	// Value returns the worth of the board to its side to move, on the scale of the
	// fitted evaluation.
	Value func() alphabeta.Score

	// Policy computes for legal moves, of which there is one at least, the natural
	// logarithm of the odds that each is the best, up to a number that is the same
	// for all, in 2^-PriorBits. Nil: nothing is known but the fitted order.
	Policy func(moves []game.Move, logits []int32)
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
	policy func(moves []game.Move, logits []int32)
	moves  []game.Move // scratch
	logits []int32     // scratch
}

// natural is what a natural logarithm counts on the scale of hints.
const natural = 100 * hintUnit

// Rate implements alphabeta.Prior: the hint of a quiet move is the logarithm of its
// odds against the best of the moves.
func (p *prior) Rate(moves []alphabeta.ScoredMove) {
	if len(moves) < 2 {
		return
	}
	p.moves = p.moves[:0]
	for i := range moves {
		p.moves = append(p.moves, moves[i].Move)
	}
	logits := p.logits[:len(moves)]
	p.policy(p.moves, logits)
	best := slices.Max(logits)
	for i := range moves {
		if e := &moves[i]; e.Kind == alphabeta.Quiet {
			behind := int64(best) - int64(logits[i])
			e.Hint = int32(-behind * natural >> PriorBits)
			e.Behind = int16(min(behind*alphabeta.BehindUnit>>PriorBits, math.MaxInt16))
		}
	}
}
