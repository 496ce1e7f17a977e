package nn

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/game"
)

// Batcher is the [Evaluator] of a [BatchNetwork]. Add encodes a position into the memory
// of a batch. A batch that is full, or that a Wait needs, is computed by one of Threads
// threads. One of them is the caller's goroutine, which computes batches in Wait, so that
// never more than Threads cores are used; the others are goroutines that end when nothing
// is left to compute. With FixedBatch all are goroutines: the caller encodes while the
// device computes. With enough waiting positions for two batches per thread, no thread
// idles: one batch is computed while the answers of the other lead to new positions.
//
// Results are a pure function of the position, the network, and the options Seed and
// Temperature. After the first few calls Add allocates nothing, nor does Wait on one
// thread.
type Batcher struct {
	codec    codec
	pool     pool
	capacity int
	size     int  // of a batch
	helps    bool // the caller's goroutine computes too

	line    []*job // jobs with positions that wait, oldest first
	spare   []*job
	waiting int
}

var _ Evaluator = (*Batcher)(nil)

// NewBatcher returns a Batcher that owns enc and uses net, which it does not close. It
// fails if net cannot evaluate what enc encodes, or if an option is invalid.
func NewBatcher(net BatchNetwork, enc Encoder, opts BatcherOptions) (*Batcher, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("batcher: %w", err)
	}
	c, err := newCodec(net, enc, opts)
	if err != nil {
		return nil, fmt.Errorf("batcher: %w", err)
	}
	b := &Batcher{codec: c, capacity: opts.Capacity, size: opts.MaxBatch, helps: !opts.FixedBatch}
	b.pool.codec = &b.codec
	b.pool.most = opts.Threads
	if b.helps {
		b.pool.most--
	}
	return b, nil
}

// Capacity implements [Evaluator].
func (b *Batcher) Capacity() int { return b.capacity }

// Stats implements [Evaluator].
func (b *Batcher) Stats() Stats { return b.pool.read() }

// Tag implements [Evaluator].
func (b *Batcher) Tag(pos game.Position) Tag { return b.codec.tag(pos) }

// Add implements [Evaluator]; the answer always waits.
func (b *Batcher) Add(pos game.Position, tag Tag, moves []game.Move, out *Result) bool {
	if b.waiting == b.capacity {
		panic(fmt.Sprintf("nn: more than %d positions added before an answer was waited for", b.capacity))
	}
	if len(out.Priors) != len(moves) || len(moves) == 0 {
		panic(fmt.Sprintf("nn: %d priors for %d moves", len(out.Priors), len(moves)))
	}
	j := b.open()
	j.add(&b.codec, pos, tag, moves, out)
	b.waiting++
	if len(j.queue) == b.size {
		b.submit(j)
	}
	return false
}

// open returns the job for the next position.
func (b *Batcher) open() *job {
	if n := len(b.line); n > 0 && !b.line[n-1].submitted {
		return b.line[n-1]
	}
	var j *job
	if n := len(b.spare); n > 0 {
		j, b.spare = b.spare[n-1], b.spare[:n-1]
	} else {
		j = newJob(b.codec.enc.Shape(), b.size)
	}
	b.line = append(b.line, j)
	return j
}

// submit hands a job to the pool.
func (b *Batcher) submit(j *job) {
	j.submitted = true
	b.pool.submit(j)
}

// Wait implements [Evaluator]. An output that is not a finite number is an
// error that names the model.
func (b *Batcher) Wait(ctx context.Context, n int) error {
	n = min(n, b.waiting)
	err := ctx.Err()
	if err == nil && n > 0 {
		b.submitFor(n)
	}
	for err == nil && n > 0 {
		if err = b.finish(b.line[0]); err != nil {
			break
		}
		if n -= b.take(n); n > 0 {
			err = ctx.Err()
		}
	}
	if err != nil {
		b.discard()
	}
	return err
}

// submitFor submits the last job if it holds one of the n oldest positions. Earlier jobs
// were full and have been submitted already.
func (b *Batcher) submitFor(n int) {
	last := b.line[len(b.line)-1]
	if n > b.waiting-last.left() && !last.submitted {
		b.submit(last)
	}
}

// take takes up to n answers of the oldest job, which is computed, and returns their
// number.
func (b *Batcher) take(n int) int {
	j := b.line[0]
	n = min(n, j.left())
	j.taken += n
	b.waiting -= n
	if j.left() == 0 {
		b.recycle()
	}
	if b.waiting == 0 {
		b.pool.join()
	}
	return n
}

// finish computes jobs on the caller's goroutine until a submitted job is done.
func (b *Batcher) finish(j *job) error {
	if j.computed {
		return nil
	}
	j.computed = true
	for b.helps {
		select {
		case err := <-j.done:
			return err
		default:
		}
		if !b.pool.help() {
			break
		}
	}
	return <-j.done
}

// recycle makes the oldest job, which no thread computes, a spare one.
func (b *Batcher) recycle() {
	j := b.line[0]
	b.line = b.line[:copy(b.line, b.line[1:])]
	j.reset()
	b.spare = append(b.spare, j)
}

// discard drops all waiting positions. Jobs that no thread has begun are withdrawn;
// discard blocks until the others are computed.
func (b *Batcher) discard() {
	b.pool.withdraw()
	for len(b.line) > 0 {
		if j := b.line[0]; j.submitted {
			_ = b.finish(j)
		}
		b.recycle()
	}
	b.waiting = 0
	b.pool.join()
}
