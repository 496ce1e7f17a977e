package nn

import (
	"context"
	"sync"
)

// This file alone starts goroutines.

// parallel calls work(0) to work(n-1) at the same time, the first of them in
// the caller's goroutine, and returns once all have returned.
func parallel(n int, work func(i int)) {
	if n == 1 {
		work(0)
		return
	}
	var wg sync.WaitGroup
	for i := 1; i < n; i++ {
		wg.Go(func() { work(i) })
	}
	work(0)
	wg.Wait()
}

// crew computes batches on goroutines of its own. It has none while there is
// nothing to compute.
type crew struct {
	most int // goroutines at the same time

	mu     sync.Mutex
	next   []*flight // batches that nobody computes yet, oldest first
	active int
	stats  Stats
	wg     sync.WaitGroup
}

// take has f computed; its done channel, which has room for it, then gets the
// error.
func (c *crew) take(code *coder, f *flight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = append(c.next, f)
	if c.active < c.most {
		c.active++
		c.wg.Go(func() { c.work(code) })
	}
}

// rest waits until every goroutine is gone. Nothing may be left to compute.
func (c *crew) rest() { c.wg.Wait() }

// work computes one batch after the other until none is left.
func (c *crew) work(code *coder) {
	for {
		f := c.pull()
		if f == nil {
			return
		}
		c.run(code, f)
	}
}

// run computes a batch and reports it.
func (c *crew) run(code *coder, f *flight) {
	s, err := f.compute(code)
	c.mu.Lock()
	c.stats = c.stats.Plus(s)
	c.mu.Unlock()
	f.done <- err
}

// help computes the oldest batch that nobody computes in the caller's goroutine,
// and reports whether there was one.
func (c *crew) help(code *coder) bool {
	c.mu.Lock()
	f := c.shift()
	c.mu.Unlock()
	if f == nil {
		return false
	}
	c.run(code, f)
	return true
}

// pull returns the oldest batch that nobody computes, or nil, and then counts
// the caller out.
func (c *crew) pull() *flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.shift()
	if f == nil {
		c.active--
	}
	return f
}

// shift takes the oldest batch that nobody computes, or nil. The crew is locked.
func (c *crew) shift() *flight {
	if len(c.next) == 0 {
		return nil
	}
	f := c.next[0]
	c.next = c.next[:copy(c.next, c.next[1:])]
	return f
}

// read returns what was counted so far.
func (c *crew) read() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// compute runs the network on the batch and writes the results of its rows. It
// is not cut short: whoever waits for it waits for the batch's memory as well.
func (f *flight) compute(code *coder) (s Stats, err error) {
	s.Batches = 1
	if s.Forward, err = code.forward(context.Background(), f.batch, len(f.queue)); err != nil {
		return s, err
	}
	for row, q := range f.queue {
		if err := code.decode(q, f.actions, f.batch, row); err != nil {
			return s, err
		}
	}
	s.Evals = uint64(len(f.queue))
	return s, nil
}
