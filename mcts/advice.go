package mcts

import "github.com/carozero/carozero/game"

// Advise gives m, a legal move of the root, a part of the root's prior, 0 to 1, on top of
// what the evaluator leaves it: its prior becomes (1-part)*P + part, that of every other
// move (1-part)*P. So an unvisited move that another search recommends is visited soon. It
// replaces earlier advice and the root's noise, and holds until the next Begin. It has no
// effect before the root is expanded.
//
// Note: the advice is the root's alone. A node below may be asked again for the priors of
// its later edges (lazy.go), which must then be those that ordered its first ones; and a
// child's mean is taken from the playouts below it, so a value that another search claims
// for it is not entered as if it had been visited.
func (s *Searcher) Advise(m game.Move, part float32) {
	t := &s.tree
	nd := &t.nodes[0]
	if s.pos == nil || s.kept != 0 || nd.n == 0 || len(s.root.moves) == 0 {
		return
	}
	moves := t.moves[nd.edges:][:nd.n]
	priors := t.priors[nd.edges:][:nd.n]
	for i, other := range moves {
		priors[i] = float32((1 - part) * s.root.prior(other))
		if other == m {
			priors[i] += part
		}
	}
	s.root.noisy = true
	t.sortEdges(moves[nd.nKids:], priors[nd.nKids:])
	s.stay.cut(0)
}
