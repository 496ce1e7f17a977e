package alphabeta

import "sync"

// run searches with all workers at once and returns the one whose result
// counts (Lazy SMP): the first worker searches on the caller's goroutine and
// decides when the search is over; the others search the same root, every
// second one an iteration ahead, and help by what they leave in the table. All
// goroutines have ended when run returns.
func run(workers []*worker, last int, progress func()) *worker {
	var group sync.WaitGroup
	shared := workers[0].shared
	for i, w := range workers[1:] {
		group.Go(func() { w.deepen(1+(i+1)%2, last, func() {}) })
	}
	workers[0].deepen(1, last, progress)
	shared.stop.Store(true)
	group.Wait()
	return elect(workers, last)
}

// elect returns the first worker, or another that has completed a deeper
// iteration.
func elect(workers []*worker, last int) *worker {
	best := workers[0]
	for _, w := range workers[1:] {
		if w.root.completed > best.root.completed && best.root.completed < last && !best.settled() {
			best = w
		}
	}
	return best
}
