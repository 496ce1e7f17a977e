package mcts

import (
	"slices"

	"github.com/carozero/carozero/game"
)

// root holds what the search needs of the root beyond its node: the priors as
// the evaluator gave them, since noise replaces those of the edges.
type root struct {
	moves  []game.Move // legal moves, ascending; empty until the root is expanded
	priors []float32   // without noise, in the order of moves
	win    game.Move   // first move of a win that was proven without children
	noisy  bool        // the edges' priors carry noise or advice
	lent   []int32     // by edge: held visits, which belong to a drawn edge; negative at that edge
	sample []float64   // scratch

	asked bool       // the solver has searched the root completely
	after []Solution // of the positions after the moves; scratch
}

// clear forgets the root.
func (r *root) clear() {
	r.moves, r.priors, r.lent = r.moves[:0], r.priors[:0], r.lent[:0]
	r.win, r.noisy, r.asked = game.NoMove, false, false
}

// credit notes a held playout, which followed the edge open in place of the edge drawn.
func (r *root) credit(drawn, open int) {
	if len(r.lent) == 0 {
		r.lent = slices.Grow(r.lent, len(r.moves))[:len(r.moves)]
		clear(r.lent)
	}
	r.lent[drawn]--
	r.lent[open]++
}

// owed returns how many visits of an edge are held ones that belong to proven draws.
func (r *root) owed(edge int) int32 {
	if edge >= len(r.lent) {
		return 0
	}
	return r.lent[edge]
}

// prior returns the prior of m without noise.
func (r *root) prior(m game.Move) float32 {
	i, _ := slices.BinarySearch(r.moves, m)
	return r.priors[i]
}

// solution returns what the solver knows of the position after m.
func (r *root) solution(m game.Move) Solution {
	i, _ := slices.BinarySearch(r.moves, m)
	return r.after[i]
}

// expandRoot expands the root with the result of the playout p.
func (s *Searcher) expandRoot(p *playout) {
	s.toRoot()
	if p.proof == Win {
		s.root.win = p.move
	}
	s.tree.expand(0, p.moves, p.result.Priors, p.result.Value())
	s.adoptRoot()
	s.proveRoot()
}

// adoptRoot records the moves and priors of an expanded root and adds the noise that
// this search asks for to its edges.
func (s *Searcher) adoptRoot() {
	t, r := &s.tree, &s.root
	nd := &t.nodes[0]
	if nd.n == 0 {
		return
	}
	moves := t.moves[nd.edges:][:nd.n]
	priors := t.priors[nd.edges:][:nd.n]
	if len(r.moves) == 0 {
		r.moves = append(r.moves, moves...)
		slices.Sort(r.moves)
		r.priors = append(r.priors, priors...)
		for i, m := range moves {
			j, _ := slices.BinarySearch(r.moves, m)
			r.priors[j] = priors[i]
		}
	}
	if !r.noisy && !s.run.limits.Noise {
		return
	}
	for i, m := range moves {
		priors[i] = r.prior(m)
	}
	if s.run.limits.Noise {
		s.addNoise(moves, priors)
	}
	r.noisy = s.run.limits.Noise
	t.sortEdges(moves[nd.nKids:], priors[nd.nKids:])
}

// addNoise mixes Dirichlet noise into the root's priors. The noise of a move
// depends on the seed and the legal moves alone.
func (s *Searcher) addNoise(moves []game.Move, priors []float32) {
	r := &s.root
	r.sample = slices.Grow(r.sample[:0], len(r.moves))[:len(r.moves)]
	s.source.Seed(s.run.limits.Seed, noiseStream)
	dirichlet(r.sample, s.opts.NoiseTotal, &s.source)
	fraction := max(0, min(1, s.opts.NoiseFraction))
	for i, m := range moves {
		j, _ := slices.BinarySearch(r.moves, m)
		p := float64((1-fraction)*float64(priors[i])) + float64(fraction*r.sample[j])
		priors[i] = float32(p)
	}
}
