package nn

import (
	"context"
	"fmt"
	"math"

	"github.com/carozero/carozero/game"
)

// Difference says how far two networks are apart, each figure the largest
// absolute difference over the positions compared.
type Difference struct {
	Positions   int
	PolicyLogit float64 // over legal moves
	ValueLogit  float64
	Policy      float64 // probabilities over legal moves
	Value       float64 // probabilities of win, draw and loss
	Worst       int     // index of the position with the largest Policy or Value difference
}

// Compare evaluates the positions, none of them over, with both networks under
// the identity symmetry. It serves to check one runtime, provider or precision
// against another.
func Compare(ctx context.Context, a, b Network, enc Encoder, positions []game.Position) (Difference, error) {
	for _, net := range []Network{a, b} {
		if err := net.Check(enc); err != nil {
			return Difference{}, err
		}
	}
	d := Difference{Positions: len(positions)}
	batchA, batchB := NewBatch(enc.Shape(), 1), NewBatch(enc.Shape(), 1)
	var worst float64
	for i, pos := range positions {
		moves := pos.Moves(nil)
		if len(moves) == 0 {
			return Difference{}, fmt.Errorf("compare: position %d is over", i)
		}
		rowA, err := evaluateRow(ctx, a, enc, pos, moves, batchA)
		if err != nil {
			return Difference{}, err
		}
		rowB, err := evaluateRow(ctx, b, enc, pos, moves, batchB)
		if err != nil {
			return Difference{}, err
		}
		policy, value := maxDiff(rowA.priors, rowB.priors), maxDiff(rowA.wdl, rowB.wdl)
		d.PolicyLogit = max(d.PolicyLogit, maxDiff(rowA.policyLogits, rowB.policyLogits))
		d.ValueLogit = max(d.ValueLogit, maxDiff(rowA.valueLogits, rowB.valueLogits))
		d.Policy = max(d.Policy, policy)
		d.Value = max(d.Value, value)
		if m := max(policy, value); m > worst {
			worst, d.Worst = m, i
		}
	}
	return d, nil
}

// evaluation is one network's view of one position, before and after softmax.
type evaluation struct {
	policyLogits, valueLogits []float32
	priors, wdl               []float32
}

func evaluateRow(ctx context.Context, net Network, enc Encoder, pos game.Position, moves []game.Move, b *Batch) (evaluation, error) {
	b.SetLen(1)
	enc.Encode(pos, 0, b.Planes(0), b.Globals(0))
	if err := net.Forward(ctx, b); err != nil {
		return evaluation{}, err
	}
	var e evaluation
	for _, m := range moves {
		e.policyLogits = append(e.policyLogits, b.Policy(0)[enc.Action(m, 0)])
	}
	e.valueLogits = append(e.valueLogits, b.Value(0)...)
	e.priors = append(e.priors, e.policyLogits...)
	e.wdl = append(e.wdl, e.valueLogits...)
	if !softmax(e.priors, 1) || !softmax(e.wdl, 1) {
		return evaluation{}, fmt.Errorf("model %s: its output is not a finite number: the model is broken", net.Name())
	}
	return e, nil
}

func maxDiff(a, b []float32) float64 {
	var d float64
	for i := range a {
		d = max(d, math.Abs(float64(a[i])-float64(b[i])))
	}
	return d
}
