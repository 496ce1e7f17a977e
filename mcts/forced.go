package mcts

import "math"

// Forced playouts and their pruning (Wu, "Accelerating Self-Play Learning in Go",
// 2019, section 3.2). A root move whose prior was raised by noise needs some playouts
// to show its value. So each child c of the root that has had a playout gets at least
//
//	n_forced(c) = sqrt(k * P(c) * sum of N)
//
// of them, where k is Limits.Forced, P the prior with its noise, and the sum goes
// over the visits of all children. They must not count in a policy target;
// Searcher.Prune removes them again.

// isForced reports whether a child with so many visits still gets forced playouts,
// where its siblings and it have sum together.
func isForced(k, prior float32, sum, visits uint32) bool {
	return float64(visits)*float64(visits) < forcedSquare(k, prior, sum)
}

// forcedSquare returns the square of n_forced.
func forcedSquare(k, prior float32, sum uint32) float64 {
	return float64(float64(k)*float64(prior)) * float64(sum)
}

// chooseForced returns the first of the root's edges whose open child has had a playout
// and must get forced ones, or else edge.
func (t *tree) chooseForced(edge int, k float32, visits uint32) int {
	nd := &t.nodes[0]
	priors := t.priors[nd.edges:][:nd.n]
	for i := range t.kids[nd.kids:][:nd.nKids] {
		kid := &t.kids[nd.kids+uint32(i)]
		if !isForced(k, priors[i], visits-1, kid.visits) {
			continue
		}
		if child := &t.nodes[kid.node]; child.proof() == Unknown && child.visits > 0 {
			return i
		}
	}
	return edge
}

// Prune fills kept with the visits of each child of a Result without the forced ones.
// The child with the most visits keeps all. Every other child loses up to n_forced
// visits as long as its selection score stays below that of the child with the most. A
// child that is left with one visit keeps none, nor does one that is proven lost for
// the root's side. children must come from the latest Result of s, which has not
// searched or advanced since; len(kept) must be len(children).
func (s *Searcher) Prune(children []Child, kept []uint32) {
	best, sum := -1, uint32(0)
	for i := range children {
		c := &children[i]
		kept[i] = c.Visits
		sum += c.Visits
		if c.Proven != Loss && c.Visits > 0 && (best < 0 || c.Visits > children[best].Visits) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	nd := &s.tree.nodes[0]
	scale := s.explore.scale(nd.visits) * s.explore.width(nd)
	score := func(c *Child, prior float32, visits uint32) float32 {
		return c.Q + float32(scale*prior)/float32(1+visits)
	}
	most := score(&children[best], s.tree.priorOf(nd, &children[best]), children[best].Visits)
	for i := range children {
		c := &children[i]
		if i == best || c.Visits == 0 {
			continue
		}
		if c.Proven == Loss {
			kept[i] = 0
			continue
		}
		prior := s.tree.priorOf(nd, c)
		for spare := math.Sqrt(forcedSquare(s.run.limits.Forced, prior, sum)); spare >= 1 && kept[i] > 0; spare-- {
			if score(c, prior, kept[i]-1) >= most {
				break
			}
			kept[i]--
		}
		if kept[i] == 1 {
			kept[i] = 0
		}
	}
}

// priorOf returns the prior, with its noise, of a visited child of nd.
func (t *tree) priorOf(nd *node, c *Child) float32 {
	if i := t.edgeOf(nd, c.Move); i >= 0 {
		return t.priors[nd.edges+uint32(i)]
	}
	return 0
}
