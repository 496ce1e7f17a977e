package nn

import "time"

// Stats are the counts of an evaluator. Only Evals, and Hits of an unshared cache, are
// reproducible; the others depend on batching and on the machine.
type Stats struct {
	Evals   uint64        // positions computed by a network, or by Uniform or Mock
	Hits    uint64        // positions answered from a cache
	Batches uint64        // calls of BatchNetwork.Forward
	Forward time.Duration // time spent inside BatchNetwork.Forward, summed over threads; 0 without a clock
}

// Plus returns the sum of s and t.
func (s Stats) Plus(t Stats) Stats {
	return Stats{
		Evals:   s.Evals + t.Evals,
		Hits:    s.Hits + t.Hits,
		Batches: s.Batches + t.Batches,
		Forward: s.Forward + t.Forward,
	}
}

// Minus returns what was counted since t was read from the same evaluator.
func (s Stats) Minus(t Stats) Stats {
	return Stats{
		Evals:   s.Evals - t.Evals,
		Hits:    s.Hits - t.Hits,
		Batches: s.Batches - t.Batches,
		Forward: s.Forward - t.Forward,
	}
}

// HitRate returns the share of all answers that came from the cache, in 0..1.
func (s Stats) HitRate() float64 {
	if s.Hits == 0 {
		return 0
	}
	return float64(s.Hits) / float64(s.Hits+s.Evals)
}
