package nn

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/carozero/carozero/game"
)

// symmetryBits are the bits of a Tag's Source that hold the symmetry.
const symmetryBits = 0xff

// codec turns positions into rows of batches and rows into results. Tags and
// encoding belong to one goroutine; forward and decode may run on any number
// of batches at once.
type codec struct {
	net    BatchNetwork
	enc    Encoder
	source uint64 // Source of every Tag, without its symmetry
	seed   uint64
	inv    float32 // 1/temperature of the policy
	fixed  bool    // batches are computed whole
	clock  func() time.Time
}

// newCodec checks that net suits enc.
func newCodec(net BatchNetwork, enc Encoder, o BatcherOptions) (codec, error) {
	if err := net.Check(enc); err != nil {
		return codec{}, err
	}
	return codec{
		net: net, enc: enc,
		source: chain(net.ID(), uint64(math.Float32bits(o.Temperature))) &^ symmetryBits,
		seed:   o.Seed,
		inv:    1 / o.Temperature,
		fixed:  o.FixedBatch,
		clock:  o.Clock,
	}, nil
}

// tag returns the Tag of pos.
func (c *codec) tag(pos game.Position) Tag {
	key := c.enc.Key(pos)
	return Tag{Key: key, Source: c.source | uint64(Symmetry(c.seed, key, c.enc.Symmetries()))}
}

// encode writes a position to a row of b, under the symmetry of its tag, and
// appends the actions of its moves.
func (c *codec) encode(pos game.Position, tag Tag, moves []game.Move, b *Batch, row int, actions []int32) []int32 {
	sym := int(tag.Source & symmetryBits)
	c.enc.Encode(pos, sym, b.Planes(row), b.Globals(row))
	for _, m := range moves {
		actions = append(actions, int32(c.enc.Action(pos, m, sym)))
	}
	return actions
}

// forward computes the first n rows of b and returns the time that it took, 0
// without a clock.
func (c *codec) forward(ctx context.Context, b *Batch, n int) (time.Duration, error) {
	if c.fixed {
		n = b.Cap()
	}
	b.SetLen(n)
	if c.clock == nil {
		return 0, c.net.Forward(ctx, b)
	}
	start := c.clock()
	err := c.net.Forward(ctx, b)
	return c.clock().Sub(start), err
}

// decode turns the logits of a row into out, whose priors belong to the moves
// with the given actions.
func (c *codec) decode(b *Batch, row int, actions []int32, out *Result) error {
	policy := b.Policy(row)
	for i, action := range actions {
		out.Priors[i] = policy[action]
	}
	if !Softmax(out.Priors, c.inv) {
		return c.notFinite("policy")
	}
	value := [ValueLogits]float32(b.Value(row))
	if !Softmax(value[:], 1) {
		return c.notFinite("value")
	}
	out.Win, out.Draw, out.Loss = value[0], value[1], value[2]
	return nil
}

func (c *codec) notFinite(output string) error {
	return fmt.Errorf("model %s: its %s output is not a finite number: %w", c.net.Name(), output, ErrBroken)
}
