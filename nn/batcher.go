package nn

import (
	"context"
	"fmt"
	"time"

	"github.com/carozero/carozero/game"
)

// Defaults of BatcherOptions.
const (
	DefaultCapacity = 64
	DefaultMaxBatch = 8
)

// BatcherOptions configures a [Batcher]. The zero value works.
type BatcherOptions struct {
	Capacity int // positions that may wait for a Run; 0: DefaultCapacity
	MaxBatch int // rows of a batch at most; 0: DefaultMaxBatch, never more than Capacity
	Threads  int // batches computed at the same time; 0: 1

	Seed        uint64       // for SymmetryRandom
	Symmetry    SymmetryMode // under which symmetry positions are encoded
	Temperature float32      // divides the policy logits before the softmax; 0: 1

	// FixedBatch always computes MaxBatch rows, the rest of them unused. On
	// devices whose arithmetic depends on the shape of the batch, a GPU for
	// one, only this makes results independent of what shares a batch.
	FixedBatch bool

	// Clock times the calls of Forward for Stats; nil times nothing.
	Clock func() time.Time
}

func (o BatcherOptions) check() error {
	switch {
	case o.Capacity < 0 || o.MaxBatch < 0 || o.Threads < 0:
		return fmt.Errorf("capacity %d, batch %d, threads %d: none may be negative", o.Capacity, o.MaxBatch, o.Threads)
	case !(o.Temperature >= 0 && o.Temperature <= 1000):
		return fmt.Errorf("policy temperature %v: want 0 to 1000", o.Temperature)
	case o.Symmetry > SymmetryIdentity:
		return fmt.Errorf("unknown symmetry mode %d", o.Symmetry)
	}
	return nil
}

// Batcher is the [Evaluator] in front of a [Network]. Add encodes a position
// at once into the memory of a batch; Run computes the batches, MaxBatch rows
// each, on up to Threads goroutines, which have ended when Run returns.
//
// Results are a pure function of the position, the network, and the options
// Seed, Symmetry and Temperature. After the first few calls neither Add nor,
// on one thread, Run allocates.
type Batcher struct {
	coder
	opts  BatcherOptions
	batch []*Batch

	queue   []queued
	actions []int32 // action of every queued move, the positions one after the other
	lanes   []lane
	ctx     context.Context // of the Run in progress
	work    func(i int)     // b.runLane, bound once
	stats   Stats
}

// lane is the state of one of the Threads during a Run.
type lane struct {
	batches uint64
	forward time.Duration
	err     error
}

// NewBatcher returns a Batcher that owns enc and uses net, which it does not
// close. It fails if net does not suit enc or an option has no meaning.
func NewBatcher(net Network, enc Encoder, opts BatcherOptions) (*Batcher, error) {
	code, err := newCoder(net, enc, opts)
	if err != nil {
		return nil, fmt.Errorf("batcher: %w", err)
	}
	opts.Capacity = orDefault(opts.Capacity, DefaultCapacity)
	opts.MaxBatch = min(orDefault(opts.MaxBatch, DefaultMaxBatch), opts.Capacity)
	opts.Threads = orDefault(opts.Threads, 1)
	b := &Batcher{
		coder: code,
		opts:  opts,
		queue: make([]queued, 0, opts.Capacity),
		lanes: make([]lane, opts.Threads),
	}
	group := opts.Threads * opts.MaxBatch
	groups := (opts.Capacity + group - 1) / group
	for range groups * opts.Threads {
		b.batch = append(b.batch, NewBatch(enc.Shape(), opts.MaxBatch))
	}
	b.work = b.runLane
	return b, nil
}

func orDefault(v, def int) int {
	if v == 0 {
		return def
	}
	return v
}

// Capacity implements [Evaluator].
func (b *Batcher) Capacity() int { return b.opts.Capacity }

// Stats returns what was counted so far.
func (b *Batcher) Stats() Stats { return b.stats }

// place returns the batch and the row of queue index i. Groups of
// Threads*MaxBatch positions fill one batch per thread, dealt out in turn so
// that a short queue keeps every thread busy.
func (b *Batcher) place(i int) (batch, row int) {
	t := b.opts.Threads
	group, rest := i/(t*b.opts.MaxBatch), i%(t*b.opts.MaxBatch)
	return group*t + rest%t, rest / t
}

// index is the inverse of place.
func (b *Batcher) index(batch, row int) int {
	t := b.opts.Threads
	return batch/t*t*b.opts.MaxBatch + row*t + batch%t
}

// rows returns how many of the queued positions lie in a batch.
func (b *Batcher) rows(batch int) int {
	t, size := b.opts.Threads, b.opts.MaxBatch
	rest := len(b.queue) - batch/t*t*size - batch%t
	if rest <= 0 {
		return 0
	}
	return min((rest+t-1)/t, size)
}

// Add implements [Evaluator]; the answer always waits for Run.
func (b *Batcher) Add(pos game.Position, moves []game.Move, out *Result) bool {
	i := len(b.queue)
	if i == b.opts.Capacity {
		panic(fmt.Sprintf("nn: more than %d positions added before a Run", i))
	}
	mustFit(out, moves)
	batch, row := b.place(i)
	b.queue = append(b.queue, queued{out, len(b.actions)})
	b.actions = b.encode(pos, moves, b.batch[batch], row, b.actions)
	return false
}

// Run implements [Evaluator]. An output that is not a finite number is an
// error that names the model.
func (b *Batcher) Run(ctx context.Context) error {
	if len(b.queue) == 0 {
		return ctx.Err()
	}
	used := min(b.opts.Threads, len(b.queue))
	b.ctx = ctx
	parallel(used, b.work)
	b.ctx = nil

	var err error
	for i := range b.lanes[:used] {
		l := &b.lanes[i]
		b.stats.Batches += l.batches
		b.stats.Forward += l.forward
		if err == nil {
			err = l.err
		}
		*l = lane{}
	}
	if err == nil {
		b.stats.Evals += uint64(len(b.queue))
	}
	clear(b.queue)
	b.queue, b.actions = b.queue[:0], b.actions[:0]
	return err
}

// runLane computes the batches of one thread.
func (b *Batcher) runLane(i int) {
	l := &b.lanes[i]
	for k := i; k < len(b.batch); k += b.opts.Threads {
		n := b.rows(k)
		if n == 0 {
			return
		}
		spent, err := b.forward(b.ctx, b.batch[k], n)
		if l.err = err; err != nil {
			return
		}
		l.batches++
		l.forward += spent
		for row := range n {
			if l.err = b.decode(b.queue[b.index(k, row)], b.actions, b.batch[k], row); l.err != nil {
				return
			}
		}
	}
}
