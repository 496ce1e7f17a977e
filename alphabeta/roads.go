package alphabeta

import (
	"sync/atomic"

	"github.com/carozero/carozero/game"
)

// roads tells the threads of a search which moves the others are searching, so
// that they can put these off: when they come back to them the table knows most
// of the answer. Without that, threads that start together repeat each other's
// work. It is Kerrigan's simplified ABDADA (tckerrigan.com/Chess, "Simplified
// ABDADA"), after Weill, The ABDADA Distributed Minimax Search Algorithm, 1996.
//
// A lost or stale mark costs time only: nothing is left out.
type roads [roadSets][roadWays]atomic.Uint64

const (
	roadSets = 1 << 10
	roadWays = 4

	// leastShared is the least depth of a node whose moves are marked.
	leastShared = 1
)

// taken reports whether a mark is set.
func (r *roads) taken(mark uint64) bool {
	set := r.set(mark)
	for i := range set {
		if set[i].Load() == mark {
			return true
		}
	}
	return false
}

// enter sets a mark.
func (r *roads) enter(mark uint64) {
	set := r.set(mark)
	for i := range set {
		if set[i].CompareAndSwap(0, mark) {
			return
		}
	}
	set[0].Store(mark)
}

// leave takes a mark away, once if it was set several times.
func (r *roads) leave(mark uint64) {
	set := r.set(mark)
	for i := range set {
		if set[i].CompareAndSwap(mark, 0) {
			return
		}
	}
}

// clear takes all marks away.
func (r *roads) clear() {
	for i := range r {
		for j := range r[i] {
			r[i][j].Store(0)
		}
	}
}

func (r *roads) set(mark uint64) *[roadWays]atomic.Uint64 { return &r[mark>>32%roadSets] }

// marker marks, one after the other, the moves of a node as they are searched.
// Without roads it does nothing.
type marker struct {
	roads *roads
	hash  uint64 // of the node
	mark  uint64 // of the move being searched; 0 if there is none
}

// marker returns the marker of the node that w is at.
func (w *worker) marker() marker {
	if w.roads == nil {
		return marker{}
	}
	return marker{roads: w.roads, hash: w.pos.Hash()}
}

// road returns the mark of a move of the node, which is not 0.
func (m *marker) road(move game.Move) uint64 {
	return (m.hash ^ uint64(move)*0x9e3779b97f4a7c15) | 1
}

// taken reports whether another thread is searching the move.
func (m *marker) taken(move game.Move) bool {
	return m.roads != nil && m.roads.taken(m.road(move))
}

// enter says that the move is being searched.
func (m *marker) enter(move game.Move) {
	if m.roads != nil {
		m.mark = m.road(move)
		m.roads.enter(m.mark)
	}
}

// done says that the move entered last has been searched.
func (m *marker) done() {
	if m.mark != 0 {
		m.roads.leave(m.mark)
		m.mark = 0
	}
}
