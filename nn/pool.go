package nn

import (
	"errors"
	"sync"
)

// Only this file starts goroutines.

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

// errWithdrawn is the outcome of a job that was withdrawn before it began.
var errWithdrawn = errors.New("withdrawn")

// pool is a worker pool: it computes jobs, the oldest first, on goroutines of
// its own. It has none while there is nothing to compute.
type pool struct {
	codec *codec
	most  int // goroutines at the same time

	mu      sync.Mutex
	queue   []*job // not begun, oldest first
	workers int    // goroutines now
	stats   Stats
	wg      sync.WaitGroup
}

// submit queues j; its done channel will receive the outcome.
func (p *pool) submit(j *job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, j)
	if p.workers < p.most {
		p.workers++
		p.wg.Go(p.work)
	}
}

// join waits until every goroutine has ended. The queue must be empty.
func (p *pool) join() { p.wg.Wait() }

// work computes one job after the other until none is left.
func (p *pool) work() {
	for {
		p.mu.Lock()
		j := p.next()
		if j == nil {
			p.workers--
		}
		p.mu.Unlock()
		if j == nil {
			return
		}
		p.run(j)
	}
}

// help computes the oldest job of the queue in the caller's goroutine, and reports
// whether there was one.
func (p *pool) help() bool {
	p.mu.Lock()
	j := p.next()
	p.mu.Unlock()
	if j != nil {
		p.run(j)
	}
	return j != nil
}

// next removes and returns the oldest job of the queue, or nil. The pool is locked.
func (p *pool) next() *job {
	if len(p.queue) == 0 {
		return nil
	}
	j := p.queue[0]
	p.queue = p.queue[:copy(p.queue, p.queue[1:])]
	return j
}

// withdraw empties the queue. Its jobs end with errWithdrawn.
func (p *pool) withdraw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, j := range p.queue {
		j.done <- errWithdrawn
	}
	p.queue = p.queue[:0]
}

// run computes a job and reports it.
func (p *pool) run(j *job) {
	s, err := j.compute(p.codec)
	p.mu.Lock()
	p.stats = p.stats.Plus(s)
	p.mu.Unlock()
	j.done <- err
}

// read returns the counts so far.
func (p *pool) read() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}
