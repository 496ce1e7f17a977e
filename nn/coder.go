package nn

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/carozero/carozero/game"
)

// coder turns positions into rows of batches and rows into results. It is what
// the evaluators in front of a network have in common. Encoding belongs to one
// goroutine; forward and decode may run on any number of batches at once.
type coder struct {
	net   Network
	enc   Encoder
	seed  uint64
	mode  SymmetryMode
	inv   float32 // 1/temperature of the policy
	temp  uint64  // temperature's part of the Tag
	fixed bool
	clock func() time.Time
}

// newCoder checks the options and that net suits enc.
func newCoder(net Network, enc Encoder, o BatcherOptions) (coder, error) {
	if err := o.check(); err != nil {
		return coder{}, err
	}
	if err := net.Check(enc); err != nil {
		return coder{}, err
	}
	if o.Temperature == 0 {
		o.Temperature = 1
	}
	return coder{
		net: net, enc: enc, seed: o.Seed, mode: o.Symmetry,
		inv: 1 / o.Temperature, temp: uint64(math.Float32bits(o.Temperature)),
		fixed: o.FixedBatch, clock: o.Clock,
	}, nil
}

// Network returns the network in use.
func (c *coder) Network() Network { return c.net }

// Tag implements [Tagger]. The symmetry is the lowest byte.
func (c *coder) Tag(key Key) uint64 {
	return chain(c.net.ID(), c.temp)&^0xff | uint64(c.symmetry(key))
}

func (c *coder) symmetry(key Key) int {
	return Symmetry(c.mode, c.seed, key, c.enc.Symmetries())
}

// queued is a position that waits for its result.
type queued struct {
	out   *Result
	first int // index of its first action
}

// mustFit panics unless out has a prior for each of the moves.
func mustFit(out *Result, moves []game.Move) {
	if len(out.Priors) != len(moves) || len(moves) == 0 {
		panic(fmt.Sprintf("nn: %d priors for %d moves", len(out.Priors), len(moves)))
	}
}

// encode writes a position to a row of m and appends the actions of its moves.
func (c *coder) encode(pos game.Position, moves []game.Move, m *Batch, row int, actions []int32) []int32 {
	sym := c.symmetry(c.enc.Key(pos))
	c.enc.Encode(pos, sym, m.Planes(row), m.Globals(row))
	for _, move := range moves {
		actions = append(actions, int32(c.enc.Action(move, sym)))
	}
	return actions
}

// forward computes the first n rows of m and returns the time that it took, 0
// without a clock.
func (c *coder) forward(ctx context.Context, m *Batch, n int) (time.Duration, error) {
	if c.fixed {
		n = m.Cap()
	}
	m.SetLen(n)
	if c.clock == nil {
		return 0, c.net.Forward(ctx, m)
	}
	start := c.clock()
	err := c.net.Forward(ctx, m)
	return c.clock().Sub(start), err
}

// decode turns the logits of a row into the result of a queued position.
func (c *coder) decode(q queued, actions []int32, m *Batch, row int) error {
	policy, priors := m.Policy(row), q.out.Priors
	for i, action := range actions[q.first : q.first+len(priors)] {
		priors[i] = policy[action]
	}
	if !softmax(priors, c.inv) {
		return c.notFinite("policy")
	}
	value := [ValueLogits]float32(m.Value(row))
	if !softmax(value[:], 1) {
		return c.notFinite("value")
	}
	q.out.Win, q.out.Draw, q.out.Loss = value[0], value[1], value[2]
	return nil
}

func (c *coder) notFinite(output string) error {
	return fmt.Errorf("model %s: its %s output is not a finite number: the model is broken", c.net.Name(), output)
}
