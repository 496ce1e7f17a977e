package nn

import (
	"context"

	"github.com/carozero/carozero/game"
)

// Mock is an evaluator for tests and for measuring a search without its
// network: priors and value are a pure function of the seed and the
// position's Hash. The exported fields are options, set before the first use.
type Mock struct {
	// Immediate answers in Add. Otherwise every answer waits for Run, so that
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

// NewMock returns a Mock whose answers depend on the seed.
func NewMock(seed uint64) *Mock { return &Mock{seed: seed} }

// Add implements [Evaluator].
func (m *Mock) Add(pos game.Position, _ []game.Move, out *Result) bool {
	if m.Immediate {
		m.answer(pos.Hash(), out)
		return true
	}
	if len(m.pending) >= m.Capacity() {
		panic("nn: more positions than the mock's capacity")
	}
	m.pending = append(m.pending, mockEntry{pos.Hash(), out})
	return false
}

// Run implements [Evaluator].
func (m *Mock) Run(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		for _, e := range m.pending {
			m.answer(e.hash, e.out)
		}
		if len(m.pending) > 0 {
			m.stats.Batches++
		}
	}
	clear(m.pending)
	m.pending = m.pending[:0]
	return err
}

// Capacity implements [Evaluator].
func (m *Mock) Capacity() int {
	if m.Queue > 0 {
		return m.Queue
	}
	return MockQueue
}

// Stats returns what was counted so far.
func (m *Mock) Stats() Stats { return m.stats }

// Tag implements [Tagger].
func (m *Mock) Tag(Key) uint64 {
	tag := chain(0x6d6f636b, m.seed)
	if m.Sharp {
		tag = ^tag
	}
	return tag
}

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
