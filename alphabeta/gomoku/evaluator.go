package gomoku

import (
	"math"
	"slices"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
)

// Evaluator evaluates one board in place of the fitted weights and order, for
// example by a network. It belongs to the thread that searches and allocates nothing.
type Evaluator struct {
	// Value returns the worth of the board to its side to move, on the scale of the
	// fitted evaluation.
	Value func() alphabeta.Score

	// Policy computes the logits of one or more legal moves, in units of
	// 2^-PriorBits; only their differences count. Nil: the fitted order is used.
	Policy func(moves []game.Move, logits []int32)
}

// PriorBits is the number of fraction bits of an Evaluator's Policy: logits are in
// units of 2^-PriorBits.
const PriorBits = 15

// externalEvaluation is the evaluation of an Evaluator, with the margins of the
// model's.
type externalEvaluation struct {
	*evaluation
	value func() alphabeta.Score
}

// Evaluate implements alphabeta.Evaluation.
func (j *externalEvaluation) Evaluate() alphabeta.Score { return j.value() }

// prior implements alphabeta.Prior by an Evaluator's Policy.
type prior struct {
	policy func(moves []game.Move, logits []int32)
	moves  []game.Move // scratch
	logits []int32     // scratch
}

// natural is one unit of a natural logarithm on the scale of hints.
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
