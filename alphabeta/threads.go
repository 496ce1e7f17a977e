package alphabeta

import (
	"sync"

	"github.com/carozero/carozero/game"
)

// run searches with all workers at once and returns the one whose result
// counts (Lazy SMP). The first worker searches on the caller's goroutine and
// reports progress; the others search the same root and help by what they leave
// in the table and by the moves that they take on; see roads and posts. Whoever is
// through first ends the search for all. All goroutines have ended when run returns.
func run(workers []*worker, last int, progress func()) *worker {
	var group sync.WaitGroup
	stop := &workers[0].shared.stop
	for _, w := range workers[1:] {
		group.Go(func() {
			w.deepen(last, func() {})
			stop.Store(true)
		})
	}
	workers[0].deepen(last, progress)
	stop.Store(true)
	group.Wait()
	return elect(workers, last)
}

// elect returns the worker whose result counts. Each votes for its best move
// with the depth that it has completed, the more the better it thinks of it;
// of those with the move that has most votes, the deepest is taken, or the
// first of them. The deepest stands without a vote if it has completed the last
// iteration or found a claim.
func elect(workers []*worker, last int) *worker {
	deepest := workers[0]
	for _, w := range workers {
		if w.root.completed > deepest.root.completed {
			deepest = w
		}
	}
	if done := deepest.root.completed; done == 0 || done == last || deepest.root.moves[0].score.decided() {
		return deepest
	}
	most := -1
	var chosen game.Move
	for _, w := range workers {
		if n := votes(workers, w.root.moves[0].entry.Move); n > most {
			most, chosen = n, w.root.moves[0].entry.Move
		}
	}
	var best *worker
	for _, w := range workers {
		if w.root.moves[0].entry.Move == chosen && (best == nil || w.root.completed > best.root.completed) {
			best = w
		}
	}
	return best
}

// votes returns the votes for m: of every worker with that move, the depth it
// has completed times how much its score is above the lowest of all, to which
// a unit of the evaluation is added so that every vote counts.
func votes(workers []*worker, m game.Move) int {
	lowest := Win
	for _, w := range workers {
		lowest = min(lowest, w.root.moves[0].score)
	}
	n := 0
	for _, w := range workers {
		if best := &w.root.moves[0]; best.entry.Move == m {
			n += w.root.completed * int(best.score-lowest+w.pace.unit)
		}
	}
	return n
}
