package mcts

import "math"

// An evaluator that answers at once and apart ([nn.Instant]) is asked for the value
// of a new leaf only. The leaf is folded until a playout goes on below it: then it
// is unfolded, which asks for the priors and gives it its edges. Leaves that are
// never visited again save the legal moves, the policy and their memory. The
// tree is the one that would have grown otherwise, as long as the memory bound is
// not reached.

// foldedEdges stands in node.edges of a folded node. As a winning move it is none.
const foldedEdges = math.MaxUint32

// folded reports whether nd has an evaluator's value, and lacks its edges.
func (nd *node) folded() bool { return nd.n == 0 && nd.edges == foldedEdges }

// fold gives a leaf its value alone.
func (nd *node) fold(value float32) { nd.value, nd.edges = value, foldedEdges }

// unfold gives the folded node at the end of a path its edges.
func (s *Searcher) unfold(id uint32, path []step) {
	s.stand(path)
	side := s.pos.ToMove()
	moves := s.pos.Moves(s.moves[:0])
	s.moves = moves
	priors := s.priors[:len(moves)]
	s.instant.Priors(s.pos, moves, priors)
	moves, priors = s.run.limits.Restrict.filter(len(path), side, moves, priors)
	s.tree.expand(id, moves, priors, s.tree.nodes[id].value)
}
