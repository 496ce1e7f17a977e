package line

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/nn"
)

// Evaluator implements [nn.Instant] with a line network. It uses no symmetries.
type Evaluator struct {
	net   *Network
	enc   nn.Encoder     // whose keys tell positions apart
	board *pattern.Board // copy of the last plain board
	acc   *Accumulator
	bits  []int32
	stats nn.Stats

	capacity    int     // returned by Capacity; nothing ever waits
	temperature float32 // divides the policy's logits
}

var _ nn.Instant = (*Evaluator)(nil)

// NewEvaluator returns an evaluator of boards of one rule set and size. enc encodes such
// boards and belongs to the Evaluator from now on. The options' temperature divides the
// policy's logits; the network's own temperature is ignored. It fails where pattern.New
// does.
func NewEvaluator(n *Network, r gomoku.Rules, size int, enc nn.Encoder, o nn.EvaluatorOptions) (*Evaluator, error) {
	board, err := pattern.New(r, size)
	if err != nil {
		return nil, fmt.Errorf("line network: %w", err)
	}
	return &Evaluator{
		net: n, enc: enc, board: board, acc: NewAccumulator(n, board), bits: make([]int32, size*size),
		capacity: cmp.Or(o.Capacity, nn.DefaultCapacity), temperature: cmp.Or(o.Temperature, 1),
	}, nil
}

// Tag implements [nn.Evaluator].
func (e *Evaluator) Tag(pos game.Position) nn.Tag {
	return nn.Tag{Key: e.enc.Key(pos), Source: e.net.id ^ uint64(math.Float32bits(e.temperature))}
}

// Add implements [nn.Evaluator]; it answers at once.
func (e *Evaluator) Add(pos game.Position, _ nn.Tag, moves []game.Move, out *nn.Result) bool {
	chances := e.chances(pos)
	out.Win, out.Draw, out.Loss = chances[0], chances[1], chances[2]
	e.priors(moves, out.Priors)
	return true
}

// Value implements [nn.Instant].
func (e *Evaluator) Value(pos game.Position) float32 {
	chances := e.chances(pos)
	return chances[0] - chances[2]
}

// Priors implements [nn.Instant].
func (e *Evaluator) Priors(pos game.Position, moves []game.Move, priors []float32) {
	e.setPosition(pos)
	e.priors(moves, priors)
}

// chances makes the accumulator follow pos and returns its probabilities of win, draw and
// loss.
func (e *Evaluator) chances(pos game.Position) (chances [outcomes]float32) {
	e.setPosition(pos)
	e.stats.Evals++
	for i, v := range e.acc.Value() {
		chances[i] = float32(v) * (1.0 / (1 << ValueBits))
	}
	nn.Softmax(chances[:], 1) // sums of integers are finite, and so are these
	return chances
}

// priors fills in the policy of the accumulator's position.
func (e *Evaluator) priors(moves []game.Move, priors []float32) {
	e.acc.PolicyAt(moves, e.bits)
	for i, bits := range e.bits[:len(moves)] {
		priors[i] = float32(bits) * (1.0 / (1 << nn.PolicyBits))
	}
	nn.Softmax(priors[:len(moves)], 1/e.temperature)
}

// setPosition makes the accumulator follow a position.
func (e *Evaluator) setPosition(pos game.Position) {
	switch pos := pos.(type) {
	case *pattern.Board:
		e.acc.Rebind(pos)
	case *gomoku.Board:
		e.board.CopyFrom(pos)
		e.acc.Rebind(e.board)
	default:
		panic(fmt.Sprintf("line: %T is not a board of gomoku", pos))
	}
}

// Wait implements [nn.Evaluator]; there is nothing to wait for.
func (e *Evaluator) Wait(ctx context.Context, _ int) error { return ctx.Err() }

// Capacity implements [nn.Evaluator].
func (e *Evaluator) Capacity() int { return e.capacity }

// Stats implements [nn.Evaluator].
func (e *Evaluator) Stats() nn.Stats { return e.stats }
