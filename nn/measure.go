package nn

import (
	"context"
	"fmt"
	"time"
)

// RawOptions says how [MeasureRaw] drives a network. Batch, Threads, Rounds
// and Clock are required; the zero value of Warmup works.
type RawOptions struct {
	Batch   int // rows of each Forward
	Threads int // goroutines, each with a batch of its own
	Rounds  int // calls of Forward per goroutine that are timed
	Warmup  int // calls per goroutine before those
	Clock   func() time.Time
}

// RawResult is what [MeasureRaw] measured.
type RawResult struct {
	Evals   int           // positions computed
	Elapsed time.Duration // from the start of the first to the end of the last
}

// PerSecond returns evaluations per second, 0 if no time passed.
func (r RawResult) PerSecond() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Evals) / r.Elapsed.Seconds()
}

// Plus returns the sum of two measurements made one after the other, for example short
// ones interleaved with other work.
func (r RawResult) Plus(t RawResult) RawResult {
	return RawResult{Evals: r.Evals + t.Evals, Elapsed: r.Elapsed + t.Elapsed}
}

// MeasureRaw times the network alone: batches are filled once with arbitrary binary
// planes and computed repeatedly. It is the upper limit for the speed of a search with
// this network.
func MeasureRaw(ctx context.Context, net BatchNetwork, enc Encoder, opts RawOptions) (RawResult, error) {
	if opts.Batch < 1 || opts.Threads < 1 || opts.Rounds < 1 || opts.Warmup < 0 || opts.Clock == nil {
		return RawResult{}, fmt.Errorf("measure: batch %d, threads %d, rounds %d: all must be positive, with a clock", opts.Batch, opts.Threads, opts.Rounds)
	}
	if err := net.Check(enc); err != nil {
		return RawResult{}, err
	}
	batches := make([]*Batch, opts.Threads)
	errs := make([]error, opts.Threads)
	for i := range batches {
		batches[i] = arbitraryBatch(enc.Shape(), opts.Batch)
	}
	repeat := func(rounds int) error {
		parallel(opts.Threads, func(i int) {
			for k := 0; k < rounds && errs[i] == nil; k++ {
				errs[i] = net.Forward(ctx, batches[i])
			}
		})
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	}
	if err := repeat(opts.Warmup); err != nil {
		return RawResult{}, err
	}
	start := opts.Clock()
	if err := repeat(opts.Rounds); err != nil {
		return RawResult{}, err
	}
	return RawResult{
		Evals:   opts.Batch * opts.Threads * opts.Rounds,
		Elapsed: opts.Clock().Sub(start),
	}, nil
}

// arbitraryBatch returns a full batch whose first plane is set everywhere, as
// a board's is, and whose others have an eighth of their cells set.
func arbitraryBatch(shape Shape, n int) *Batch {
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
