package alphabeta

import "sync/atomic"

// posts are the nodes that a thread is at. As soon as one thread has the result
// of a node, those that are still below the same node with the same path length
// leave it for that result: what they have yet to search there is of no use.
// It is YBWC's cut-off message (Feldmann, Monien, Mysliwietz and Vornberger,
// "Distributed game tree search", 1989) without masters and slaves: the result
// itself goes through the table, and a thread that cannot use it, because it has
// been asked for more depth or another window, stays.
type posts struct {
	nodes [maxPly + 2]atomic.Uint64 // hash by ply; 0 where the thread is at no node that can be left
	call  atomic.Int32              // 1 + the least ply of a node that another thread has finished; 0: none
}

// relieve calls the thread away from the node with that hash if it is there.
func (p *posts) relieve(ply int, hash uint64) {
	if p.nodes[ply].Load() != hash {
		return
	}
	for {
		call := p.call.Load()
		if call != 0 && call <= int32(ply)+1 || p.call.CompareAndSwap(call, int32(ply)+1) {
			return
		}
	}
}

// clear forgets all nodes and calls.
func (p *posts) clear() {
	for i := range p.nodes {
		p.nodes[i].Store(0)
	}
	p.call.Store(0)
}

// leave is where a thread that has been relieved is going. While it is going,
// worker.stopped holds as well.
type leave struct {
	going bool
	ply   int   // of the node to be left
	known entry // the table's of that node, which decides it
}

// attend expands a node that other threads may be at too.
func (w *worker) attend(nd *node, hash uint64, known *entry) Score {
	w.stack[nd.ply].asked = *nd
	w.posts.nodes[nd.ply].Store(hash)
	score := w.expand(nd, hash, known)
	w.posts.nodes[nd.ply].Store(0)
	if w.stopped {
		return w.arrive(nd.ply)
	}
	for _, other := range w.all {
		if other != w {
			other.posts.relieve(nd.ply, hash)
		}
	}
	return score
}

// relieved answers a call, if there is one, and reports whether w has to leave
// its node. Then everything is void as if w were stopped, up to the node that
// another thread has finished; see arrive.
func (w *worker) relieved() bool {
	if w.posts.call.Load() == 0 {
		return false
	}
	ply := int(w.posts.call.Swap(0)) - 1
	hash := w.posts.nodes[ply].Load()
	if hash == 0 {
		return false // left in the meantime
	}
	known := w.table.probe(hash)
	if _, ok := w.answers(&w.stack[ply].asked, &known); !ok {
		return false
	}
	w.leave = leave{going: true, ply: ply, known: known}
	w.stopped = true
	return true
}

// arrive ends the way of a relieved thread if that leads to the node at ply, and
// returns its score. Else the score is void.
func (w *worker) arrive(ply int) Score {
	if !w.leave.going || w.leave.ply != ply {
		return 0
	}
	w.leave.going, w.stopped = false, false
	w.lines[ply].n = 0
	w.recall(ply, w.leave.known.move)
	return w.leave.known.score.fromNode(ply)
}
