package nn

import (
	"cmp"
	"fmt"
	"time"
)

// Defaults of BatcherOptions.
const (
	DefaultCapacity = 64
	DefaultMaxBatch = 8 // on one thread
)

// BatcherOptions configures a [Batcher]. The zero value works.
type BatcherOptions struct {
	Capacity int // positions that may wait; 0: DefaultCapacity
	Threads  int // batches computed at the same time; 0: 1

	// MaxBatch is the largest number of rows of a batch, at most Capacity. 0:
	// DefaultMaxBatch on one thread; 1 on several, over which single positions are
	// distributed best.
	MaxBatch int

	Seed        uint64  // of the symmetries under which positions are encoded
	Temperature float32 // divides the policy logits before the softmax; 0: 1

	// FixedBatch always computes MaxBatch rows, some of them unused. It is for devices
	// whose arithmetic depends on the batch size, such as GPUs: only this makes a
	// result independent of the other positions in its batch.
	FixedBatch bool

	// Clock times the calls of Forward for Stats; nil times nothing.
	Clock func() time.Time
}

// EvaluatorOptions configures the evaluator of a [Network]. The zero value works. A
// network that answers at once ignores the options about batches and caches.
type EvaluatorOptions struct {
	Capacity int // positions that may wait; 0: DefaultCapacity
	Threads  int // that compute batches; 0: 1
	MaxBatch int // rows of a batch at most; 0: the capacity on devices, else as BatcherOptions says
	Seed     uint64
	Cache    *CacheTable // of results; nil: none
	Clock    func() time.Time

	// Temperature divides the policy logits, in addition to the model's own; 0: 1.
	Temperature float32
}

// withDefaults returns o with each zero replaced by its default, or an error that names
// the invalid option.
func (o BatcherOptions) withDefaults() (BatcherOptions, error) {
	switch {
	case o.Capacity < 0 || o.MaxBatch < 0 || o.Threads < 0:
		return o, fmt.Errorf("capacity %d, batch %d, threads %d: none may be negative", o.Capacity, o.MaxBatch, o.Threads)
	case !(o.Temperature >= 0 && o.Temperature <= 1000):
		return o, fmt.Errorf("policy temperature %v: want 0 to 1000", o.Temperature)
	}
	o.Capacity = cmp.Or(o.Capacity, DefaultCapacity)
	o.Threads = cmp.Or(o.Threads, 1)
	o.Temperature = cmp.Or(o.Temperature, 1)
	if o.MaxBatch == 0 {
		o.MaxBatch = 1
		if o.Threads == 1 {
			o.MaxBatch = DefaultMaxBatch
		}
	}
	o.MaxBatch = min(o.MaxBatch, o.Capacity)
	return o, nil
}
