package alphabeta

import (
	"sync/atomic"

	"github.com/carozero/carozero/game"
)

// currentlySearching holds the hashes of the moves that the threads of a search
// are at, so that the others can defer these: when they come back to them the
// table knows most of the result. Without that, threads that start together repeat
// each other's work. It is Kerrigan's simplified ABDADA (tckerrigan.com/Chess,
// "Simplified ABDADA"), after Weill, The ABDADA Distributed Minimax Search
// Algorithm, 1996.
//
// A lost or stale hash costs time only: nothing is left out.
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

// add says that a move is being searched.
func (s *currentlySearching) add(moveHash uint64) {
	set := s.set(moveHash)
	for i := range set {
		if set[i].CompareAndSwap(0, moveHash) {
			return
		}
	}
	set[0].Store(moveHash)
}

// remove takes a move out, once if it was added several times.
func (s *currentlySearching) remove(moveHash uint64) {
	set := s.set(moveHash)
	for i := range set {
		if set[i].CompareAndSwap(moveHash, 0) {
			return
		}
	}
}

// clear takes all moves out.
func (s *currentlySearching) clear() {
	for i := range s {
		for j := range s[i] {
			s[i][j].Store(0)
		}
	}
}

// set returns where the hash of a move is kept.
func (s *currentlySearching) set(moveHash uint64) *[searchingWays]atomic.Uint64 {
	return &s[moveHash>>32%searchingSets]
}

// deferral tells the other threads which move of a node is being searched, and
// which ones they are at. With one thread it does nothing.
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

// startSearch says that the move is being searched.
func (d *deferral) startSearch(move game.Move) {
	if d.searching != nil {
		d.moveHash = d.hashOf(move)
		d.searching.add(d.moveHash)
	}
}

// finishSearch says that the move started last has been searched.
func (d *deferral) finishSearch() {
	if d.moveHash != 0 {
		d.searching.remove(d.moveHash)
		d.moveHash = 0
	}
}
