package nn

import (
	"context"
	"fmt"

	"gorgonia.org/tensor"

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

// Compare evaluates the positions, none of them over, with both networks under the
// identity symmetry, to check one runtime, provider or precision against another.
func Compare(ctx context.Context, a, b BatchNetwork, enc Encoder, positions []game.Position) (Difference, error) {
	d := Difference{Positions: len(positions)}
	if len(positions) == 0 {
		return d, nil
	}
	x, err := outputsOf(ctx, a, enc, positions)
	if err != nil {
		return Difference{}, err
	}
	y, err := outputsOf(ctx, b, enc, positions)
	if err != nil {
		return Difference{}, err
	}
	var worst float64
	for _, part := range []struct {
		x, y        *tensor.Dense
		most        *float64
		probability bool
	}{
		{x.policyLogits, y.policyLogits, &d.PolicyLogit, false},
		{x.valueLogits, y.valueLogits, &d.ValueLogit, false},
		{x.policy, y.policy, &d.Policy, true},
		{x.value, y.value, &d.Value, true},
	} {
		rows, err := farthest(part.x, part.y)
		if err != nil {
			return Difference{}, fmt.Errorf("compare: %w", err)
		}
		for i, v := range rows {
			*part.most = max(*part.most, float64(v))
			if part.probability && float64(v) > worst {
				worst, d.Worst = float64(v), i
			}
		}
	}
	return d, nil
}

// outputs are a network's views of some positions, a row each, before and
// after the softmax. Entries of moves that are not legal are 0.
type outputs struct {
	policyLogits, policy *tensor.Dense // [positions, Actions]
	valueLogits, value   *tensor.Dense // [positions, ValueLogits]
}

// outputsOf evaluates positions with net, all in one batch.
func outputsOf(ctx context.Context, net BatchNetwork, enc Encoder, positions []game.Position) (outputs, error) {
	if err := net.Check(enc); err != nil {
		return outputs{}, err
	}
	n := len(positions)
	b := NewBatch(enc.Shape(), n)
	b.SetLen(n)
	for i, pos := range positions {
		enc.Encode(pos, 0, b.Planes(i), b.Globals(i))
	}
	if err := net.Forward(ctx, b); err != nil {
		return outputs{}, err
	}
	width := enc.Shape().Actions
	logits, policy := make([]float32, n*width), make([]float32, n*width)
	value := make([]float32, n*ValueLogits)
	for i, pos := range positions {
		moves := pos.Moves(nil)
		if len(moves) == 0 {
			return outputs{}, fmt.Errorf("compare: position %d is over", i)
		}
		priors := make([]float32, len(moves))
		for k, m := range moves {
			priors[k] = b.Policy(i)[enc.Action(pos, m, 0)]
			row(logits, i, width)[enc.Action(pos, m, 0)] = priors[k]
		}
		wdl := row(value, i, ValueLogits)
		copy(wdl, b.Value(i))
		if !Softmax(priors, 1) || !Softmax(wdl, 1) {
			return outputs{}, fmt.Errorf("model %s: its output is not a finite number: the model is broken", net.Name())
		}
		for k, m := range moves {
			row(policy, i, width)[enc.Action(pos, m, 0)] = priors[k]
		}
	}
	return outputs{
		policyLogits: dense(logits, n, width), policy: dense(policy, n, width),
		valueLogits: b.Tensors(n).Value, value: dense(value, n, ValueLogits),
	}, nil
}

// farthest returns the largest absolute difference in each row of two tensors
// [rows, columns].
func farthest(x, y *tensor.Dense) ([]float32, error) {
	d, err := x.Sub(y)
	if err != nil {
		return nil, err
	}
	if _, err := tensor.Abs(d, tensor.UseUnsafe()); err != nil {
		return nil, err
	}
	m, err := d.Max(1)
	if err != nil {
		return nil, err
	}
	rows, ok := m.Data().([]float32)
	if !ok {
		return nil, fmt.Errorf("%T for %d rows", m.Data(), x.Shape()[0])
	}
	return rows, nil
}
