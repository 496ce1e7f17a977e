package alphabeta

import (
	"sync/atomic"

	"github.com/carozero/carozero/game"
)

// currentlySearching holds the hashes of the moves that the threads of a search are
// searching, so that other threads defer them: when they come back to a deferred move,
// the table has most of its result. Without it threads repeat each other's work. This
// is Kerrigan's simplified ABDADA (tckerrigan.com/Chess, "Simplified ABDADA"), after
// Weill, The ABDADA Distributed Minimax Search Algorithm, 1996.
//
// A lost or stale hash only costs time: deferred moves are still searched.
type currentlySearching [searchingSets][searchingWays]atomic.Uint64

const (
	searchingSets = 1 << 10
	searchingWays = 4

	// leastDeferDepth is the least depth of a node whose moves are deferred.
	leastDeferDepth = 1
)

// contains reports whether a move is being searched.
func (s *currentlySearching) contains(moveHash uint64) bool {
	set := s.set(moveHash)
	for i := range set {
		if set[i].Load() == moveHash {
			return true
		}
	}
	return false
}

// add marks a move as being searched.
func (s *currentlySearching) add(moveHash uint64) {
	set := s.set(moveHash)
	for i := range set {
		if set[i].CompareAndSwap(0, moveHash) {
			return
		}
	}
	set[0].Store(moveHash)
}

// remove removes a move, one occurrence if it was added several times.
func (s *currentlySearching) remove(moveHash uint64) {
	set := s.set(moveHash)
	for i := range set {
		if set[i].CompareAndSwap(moveHash, 0) {
			return
		}
	}
}

// clear removes all moves.
func (s *currentlySearching) clear() {
	for i := range s {
		for j := range s[i] {
			s[i][j].Store(0)
		}
	}
}

// set returns the set that may hold the hash of a move.
func (s *currentlySearching) set(moveHash uint64) *[searchingWays]atomic.Uint64 {
	return &s[moveHash>>32%searchingSets]
}

// deferral marks which move of a node this thread searches, and tells which moves other
// threads search. With one thread it does nothing.
type deferral struct {
	searching *currentlySearching // nil for one thread
	hash      uint64              // of the node
	moveHash  uint64              // of the move being searched; 0 if there is none
}

// newDeferral returns the deferral of the node that w is at.
func (w *worker) newDeferral() deferral {
	if w.searching == nil {
		return deferral{}
	}
	return deferral{searching: w.searching, hash: w.pos.Hash()}
}

// hashOf returns the hash of a move of the node, which is not 0.
func (d *deferral) hashOf(move game.Move) uint64 {
	return (d.hash ^ uint64(move)*0x9e3779b97f4a7c15) | 1
}

// deferMove reports whether another thread is searching the move.
func (d *deferral) deferMove(move game.Move) bool {
	return d.searching != nil && d.searching.contains(d.hashOf(move))
}

// startSearch marks the move as being searched.
func (d *deferral) startSearch(move game.Move) {
	if d.searching != nil {
		d.moveHash = d.hashOf(move)
		d.searching.add(d.moveHash)
	}
}

// finishSearch removes the mark of the last startSearch.
func (d *deferral) finishSearch() {
	if d.moveHash != 0 {
		d.searching.remove(d.moveHash)
		d.moveHash = 0
	}
}
