package alphabeta

import (
	"sync"
	"sync/atomic"

	"github.com/carozero/carozero/game"
)

// run searches with all workers at once and returns the one whose result counts (Lazy
// SMP). The first worker searches on the caller's goroutine and reports progress; the
// others search the same root and help through the table, currentlySearching and
// activeNodes. The first worker to finish ends the search for all. All goroutines have
// ended when run returns.
func run(workers []*worker, last int, progress func()) *worker {
	var group sync.WaitGroup
	stop := &workers[0].control.stop
	for _, w := range workers[1:] {
		group.Go(func() {
			w.deepen(last, func() {})
			stop.Store(true)
		})
	}
	workers[0].deepen(last, progress)
	stop.Store(true)
	group.Wait()
	return bestWorker(workers, last)
}

// touch writes to every page of the clusters, with that many goroutines.
func touch(clusters []cluster, threads int) {
	part := (len(clusters) + threads - 1) / threads
	var group sync.WaitGroup
	for from := part; from < len(clusters); from += part {
		group.Go(func() { touchPages(clusters[from:min(from+part, len(clusters))]) })
	}
	touchPages(clusters[:min(part, len(clusters))])
	group.Wait()
}

// bestWorker returns the worker whose result counts. Each votes for its best move with
// its completed depth, weighted by the score; of the workers with the winning move it
// returns the deepest, or the first of equal ones. The deepest of all wins without a
// vote if it has completed the last iteration or found a claim.
func bestWorker(workers []*worker, last int) *worker {
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
		if n := votes(workers, w.root.moves[0].Move); n > most {
			most, chosen = n, w.root.moves[0].Move
		}
	}
	var best *worker
	for _, w := range workers {
		if w.root.moves[0].Move == chosen && (best == nil || w.root.completed > best.root.completed) {
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
		if best := &w.root.moves[0]; best.Move == m {
			n += w.root.completed * int(best.score-lowest+w.timeManager.unit)
		}
	}
	return n
}

// activeNodes are the nodes on a thread's path. As soon as one thread has the result of a
// node, the other threads that are below the same node at the same ply leave it and take
// that result. This is YBWC's cutoff message (Feldmann, Monien, Mysliwietz and
// Vornberger, "Distributed game tree search", 1989) without masters and slaves: the
// result goes through the table, and a thread that cannot use it, because it searches to
// more depth or with another window, continues.
type activeNodes struct {
	nodes     [maxPly + 2]atomic.Uint64 // hash by ply; 0: none
	cutoffPly atomic.Int32              // 1 + the least ply of a node that another thread has finished; 0: none
}

// cutoff tells the thread to leave the node with that hash at ply if it is below it.
func (a *activeNodes) cutoff(ply int, hash uint64) {
	if a.nodes[ply].Load() != hash {
		return
	}
	for {
		before := a.cutoffPly.Load()
		if before != 0 && before <= int32(ply)+1 || a.cutoffPly.CompareAndSwap(before, int32(ply)+1) {
			return
		}
	}
}

// clear forgets all nodes and cutoffs.
func (a *activeNodes) clear() {
	for i := range a.nodes {
		a.nodes[i].Store(0)
	}
	a.cutoffPly.Store(0)
}

// unwinding is the state of a thread that leaves a node because another one has finished
// it. While it is active, worker.stopped is set as well.
type unwinding struct {
	active bool
	ply    int     // of the node to leave
	known  ttEntry // the table's entry of that node, with its result
}

// expandShared expands a node that other threads may be searching too.
func (w *worker) expandShared(nd *node, hash uint64, known *ttEntry) Score {
	w.stack[nd.ply].node = *nd
	w.active.nodes[nd.ply].Store(hash)
	score := w.expand(nd, hash, known)
	w.active.nodes[nd.ply].Store(0)
	if w.stopped {
		return w.endUnwind(nd.ply)
	}
	for _, other := range w.workers {
		if other != w {
			other.active.cutoff(nd.ply, hash)
		}
	}
	return score
}

// cutoffOccurred reports whether another thread has finished a node on w's path, so that w
// must leave it. Then all results up to that node are invalid, as if w were stopped; see
// endUnwind.
func (w *worker) cutoffOccurred() bool {
	if w.active.cutoffPly.Load() == 0 {
		return false
	}
	ply := int(w.active.cutoffPly.Swap(0)) - 1
	hash := w.active.nodes[ply].Load()
	if hash == 0 {
		return false // left in the meantime
	}
	known := w.table.probe(hash)
	if _, ok := w.tableCutoff(&w.stack[ply].node, &known); !ok {
		return false
	}
	w.unwind = unwinding{active: true, ply: ply, known: known}
	w.stopped = true
	return true
}

// endUnwind ends the unwinding if the node at ply is the one to leave, and returns its
// score. Else the score is invalid.
func (w *worker) endUnwind(ply int) Score {
	if !w.unwind.active || w.unwind.ply != ply {
		return 0
	}
	w.unwind.active, w.stopped = false, false
	w.lines[ply].n = 0
	w.setTableLine(ply, w.unwind.known.move)
	return w.unwind.known.score.fromNode(ply)
}
