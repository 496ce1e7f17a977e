package mcts

import "math"

// Lazy expansion: an [nn.Instant] evaluator is asked only for the value of a new leaf.
// The leaf stays lazy, without edges, until a playout visits it again; then it is
// expanded with the evaluator's priors. Leaves that are visited once cost no move
// generation, no policy and no memory for edges. Unless the memory bound is reached,
// the tree is the same as without lazy expansion.

// lazyEdges is node.edges of a lazy node; it is no winning move.
const lazyEdges = math.MaxUint32

// lazy reports whether nd has an evaluator's value but no edges yet.
func (nd *node) lazy() bool { return nd.n == 0 && nd.edges == lazyEdges }

// setLazy gives a leaf its value but no edges.
func (nd *node) setLazy(value float32) { nd.value, nd.edges = value, lazyEdges }

// expandLazy expands the lazy node at the end of a path.
func (s *Searcher) expandLazy(id uint32, path []step) {
	s.walkTo(path)
	side := s.pos.ToMove()
	moves := s.pos.Moves(s.moves[:0])
	s.moves = moves
	priors := s.priors[:len(moves)]
	s.instant.Priors(s.pos, moves, priors)
	moves, priors = s.run.limits.Restrict.filter(len(path), side, moves, priors)
	s.tree.expand(id, moves, priors, s.tree.nodes[id].value)
}
