package nn

import (
	"context"
	"slices"

	"github.com/carozero/carozero/game"
)

// Mock is an evaluator for tests and for measuring a search without its
// network: priors and value are a pure function of the seed and the
// position's Hash. The exported fields are options, set before the first use.
type Mock struct {
	// Immediate answers in Add. Otherwise every answer waits for Wait, so that
	// a search goes through both phases.
	Immediate bool

	// Sharp concentrates the priors as a trained network does: most of the
	// probability lies on a few moves. Otherwise priors differ by little.
	Sharp bool

	// Queue is the Capacity; 0 means MockQueue.
	Queue int

	seed    uint64
	pending []mockEntry
	stats   Stats
}

// MockQueue is the Capacity of a Mock unless its option says otherwise.
const MockQueue = 1024

type mockEntry struct {
	hash uint64
	out  *Result
}

var _ Evaluator = (*Mock)(nil)

// NewMock returns a Mock whose answers depend on the seed.
func NewMock(seed uint64) *Mock { return &Mock{seed: seed} }

// Tag implements [Evaluator].
func (m *Mock) Tag(pos game.Position) Tag {
	tag := Tag{Key: Key{pos.Hash()}, Source: chain(0x6d6f636b, m.seed)}
	if m.Sharp {
		tag.Source = ^tag.Source
	}
	return tag
}

// Add implements [Evaluator].
func (m *Mock) Add(_ game.Position, tag Tag, _ []game.Move, out *Result) bool {
	if m.Immediate {
		m.answer(tag.Key[0], out)
		return true
	}
	if len(m.pending) >= m.Capacity() {
		panic("nn: more positions than the mock's capacity")
	}
	m.pending = append(m.pending, mockEntry{tag.Key[0], out})
	return false
}

// Wait implements [Evaluator].
func (m *Mock) Wait(ctx context.Context, n int) error {
	if err := ctx.Err(); err != nil {
		m.pending = slices.Delete(m.pending, 0, len(m.pending))
		return err
	}
	n = max(0, min(n, len(m.pending)))
	for _, e := range m.pending[:n] {
		m.answer(e.hash, e.out)
	}
	m.pending = slices.Delete(m.pending, 0, n)
	return nil
}

// Capacity implements [Evaluator].
func (m *Mock) Capacity() int {
	if m.Queue > 0 {
		return m.Queue
	}
	return MockQueue
}

// Stats implements [Evaluator].
func (m *Mock) Stats() Stats { return m.stats }

// minSharp keeps sharp weights from vanishing, so that their sum never does.
const minSharp = 0x1p-140

func (m *Mock) answer(hash uint64, out *Result) {
	m.stats.Evals++
	h := chain(m.seed, hash)
	var sum float32
	for i := range out.Priors {
		w := unit(chain(h, uint64(i)))
		if m.Sharp {
			w = float32(w * w)
			w = float32(w * w)
			w = float32(w * w)
			w = max(float32(w*w), minSharp)
		}
		out.Priors[i] = w
		sum += w
	}
	for i := range out.Priors {
		out.Priors[i] /= sum
	}
	win, draw, loss := unit(chain(h, 1<<32)), float32(unit(chain(h, 2<<32))/4), unit(chain(h, 3<<32))
	sum = win + draw + loss
	out.Win, out.Draw, out.Loss = win/sum, draw/sum, loss/sum
}

// unit maps a hash to a float32 in (0, 1] that needs no rounding.
func unit(h uint64) float32 { return float32(h>>40+1) / (1 << 24) }

// ArbitraryBatch returns a full batch whose first plane is set everywhere, as
// a board's is, and whose others have an eighth of their cells set.
func ArbitraryBatch(shape Shape, n int) *Batch {
	b := NewBatch(shape, n)
	b.SetLen(n)
	cells := shape.Height * shape.Width
	for i := range n {
		planes := b.Planes(i)
		for c := range planes {
			if c < cells || mix64(uint64(i*len(planes)+c))&7 == 0 {
				planes[c] = 1
			}
		}
	}
	return b
}
