package mcts

import (
	"math"

	"github.com/carozero/carozero/game"
)

// Lazy expansion: an [nn.Instant] evaluator is asked only for the value of a new leaf.
// The leaf stays lazy, without edges, until a playout visits it again; then it is
// expanded with the evaluator's priors, of which it keeps the rung2 largest. The
// evaluator is asked once more for the others when all of these have been visited, or
// when the node becomes the root. Leaves that are visited once cost no move generation,
// no policy and no memory for edges, and few nodes ever need the memory of all their
// edges, most of which have priors of next to nothing. Unless the memory bound is
// reached, the tree is the same as without lazy expansion.

// lazyEdges is node.edges of a lazy node; it is no winning move.
const lazyEdges = math.MaxUint32

// lazy reports whether nd has an evaluator's value but no edges yet.
func (nd *node) lazy() bool { return nd.n == 0 && nd.edges == lazyEdges }

// setLazy gives a leaf its value but no edges.
func (nd *node) setLazy(value float32) { nd.value, nd.edges = value, lazyEdges }

// expandLazy gives the lazy node at the end of a path its first edges.
func (s *Searcher) expandLazy(id uint32, path []step) {
	moves, priors := s.edgesAt(path)
	s.tree.expandBriefly(id, moves, priors)
}

// complete gives the node at the end of a path the rest of its edges if its first ones
// have just all been visited.
func (s *Searcher) complete(id uint32, path []step) {
	if nd := &s.tree.nodes[id]; s.tree.brief && id != 0 && nd.nKids == rung2 && nd.n > rung2 {
		moves, priors := s.edgesAt(path)
		s.tree.setEdges(nd, moves, priors)
	}
}

// completeRoot gives a root that was a child before all of its edges.
func (s *Searcher) completeRoot() {
	nd := &s.tree.nodes[0]
	if nd.lazy() || s.tree.brief && nd.n > 0 {
		moves, priors := s.edgesAt(nil)
		s.tree.setEdges(nd, moves, priors)
	}
}

// setEdges gives an expanded or lazy node all its edges, of which the first rung2 in
// prior order come first, and the others too if these have been visited.
func (t *tree) setEdges(nd *node, moves []game.Move, priors []float32) {
	from := len(t.moves)
	nd.n, nd.edges = uint16(len(moves)), uint32(from)
	t.growEdges(len(moves))
	t.moves = append(t.moves, moves...)
	t.priors = append(t.priors, priors...)
	front(t.moves[from:], t.priors[from:], rung2)
	if nd.nKids >= rung2 {
		t.sortEdges(t.moves[from+rung2:], t.priors[from+rung2:])
	}
}

// edgesAt returns the legal moves and the evaluator's priors at the end of a path, to
// which it brings the board; they are valid until the next call.
func (s *Searcher) edgesAt(path []step) (moves []game.Move, priors []float32) {
	s.walkTo(path)
	s.moves = s.pos.Moves(s.moves[:0])
	priors = s.priors[:len(s.moves)]
	s.instant.Priors(s.pos, s.moves, priors)
	return s.run.limits.Restrict.filter(len(path), s.pos.ToMove(), s.moves, priors)
}
