package mcts

import (
	"context"
	"slices"
)

// proveRoot asks the solver about the expanded root, first for a win, then for the
// moves that lose, unless it has already answered completely. The root has no playouts
// in flight.
func (s *Searcher) proveRoot() {
	nd := &s.tree.nodes[0]
	r := &s.root
	if nd.proof() != Unknown || r.asked {
		return
	}
	restrict := s.run.limits.Restrict
	if restrict.at(1) {
		return
	}
	if w := s.solver.Root(s.run.ctx, s.pos); w.Found() && restrict.permits(0, s.pos.ToMove(), w.Move) {
		r.win = w.Move
		nd.makeProven(Win, w.Plies)
		return
	}
	r.refuted = slices.Grow(r.refuted[:0], len(r.moves))[:len(r.moves)]
	clear(r.refuted)
	s.solver.Refute(s.run.ctx, s.pos, r.moves, r.refuted)
	r.asked = s.run.ctx.Err() == nil
	if slices.ContainsFunc(r.refuted, ForcedWin.Found) {
		s.tree.refute(r)
	}
}

// makeProven proves a node without playouts in flight and gives its visits the proven
// value.
func (nd *node) makeProven(proof Proof, plies int) {
	nd.setProof(proof, plies)
	nd.sum = int64(nd.visits) * fixed(proof.Value())
}

// refute makes the refuted moves of the root proven children, also those without
// visits, and proves the root lost if no other move is left.
func (t *tree) refute(r *root) {
	nd := &t.nodes[0]
	proven := uint32(0)
	for i, k := range t.kids[nd.kids:][:nd.nKids] {
		child := &t.nodes[k.node]
		f := r.refutation(t.moves[nd.edges+uint32(i)])
		if f.Found() && child.proof() == Unknown {
			t.refuteKid(i, f)
			proven = k.node
		}
	}
	for range t.raiseRefuted(r) {
		nd = &t.nodes[0]
		f := r.refutation(t.moves[nd.edges+uint32(nd.nKids)])
		proven = t.attach(0, forbidden)
		child := &t.nodes[proven]
		child.makeProven(Win, f.Plies)
		child.setWinningMove(f.Move)
	}
	if proven != 0 {
		t.concludeRoot(proven)
	}
}

// refuteKid proves a visited open child of the root and removes its former values from
// the root's mean, unless some visits may have been held.
func (t *tree) refuteKid(edge int, f ForcedWin) {
	nd := &t.nodes[0]
	child := t.childOf(nd, edge)
	before := child.sum
	child.makeProven(Win, f.Plies)
	if !t.mayHold(nd, child) {
		nd.sum += before - child.sum
	}
	t.kids[nd.kids+uint32(edge)].lose()
}

// reopenRoot withdraws a proof that has no winning move: the root was a refuted child
// with children of its own, and the refutation does not say which of them wins. The
// search asks the solver again and continues if it finds nothing.
func (t *tree) reopenRoot() {
	nd := &t.nodes[0]
	if nd.n == 0 || nd.proof() != Win {
		return
	}
	sum, squares := fixed(nd.value), float32(nd.value*nd.value)
	for _, k := range t.kids[nd.kids:][:nd.nKids] {
		child := &t.nodes[k.node]
		if child.proof() == Loss {
			return
		}
		sum -= child.sum
		squares += child.squares()
	}
	nd.reopen(squares)
	nd.sum = sum
}

// concludeRoot proves the root if its child, which was just proven, decides it.
func (t *tree) concludeRoot(child uint32) {
	nd := &t.nodes[0]
	if t.proveParent(nd, &t.nodes[child], 0) {
		nd.makeProven(nd.proof(), nd.plies())
	}
}

// mostAudits bounds the moves that one Audit asks about.
const mostAudits = 4

// Audit asks the solver whether the best move loses by force. If so, the move becomes
// a proven loss and the next best is checked, four at most. Call Audit after a search
// is Done or abandoned and before Result; Search does so unless it was interrupted. It
// adds no playouts and finds nothing once ctx has ended.
func (s *Searcher) Audit(ctx context.Context) {
	if s.solver == (NoSolver{}) || s.queue.pending > 0 || s.pos == nil || s.kept != 0 || s.run.limits.Restrict.at(1) {
		return
	}
	t := &s.tree
	for range mostAudits {
		nd := &t.nodes[0]
		if nd.n == 0 || nd.proof() != Unknown {
			break
		}
		s.Result(&s.audited)
		best := s.audited.Children[0]
		edge := t.edgeOf(nd, best.Move)
		if best.Proven != Unknown || edge < 0 {
			break
		}
		f := s.solver.Audit(ctx, s.pos, best.Move)
		if !f.Found() {
			break
		}
		t.refuteKid(edge, f)
		t.concludeRoot(t.kids[nd.kids+uint32(edge)].node)
	}
}

// raiseRefuted moves the refuted moves to the front of the root's unvisited edges, puts
// the others in prior order, and returns the number of refuted ones.
func (t *tree) raiseRefuted(r *root) int {
	nd := &t.nodes[0]
	moves := t.moves[nd.edges:][nd.nKids:nd.n]
	priors := t.priors[nd.edges:][nd.nKids:nd.n]
	n := 0
	for i, m := range moves {
		if r.refutation(m).Found() {
			moves[n], moves[i] = moves[i], moves[n]
			priors[n], priors[i] = priors[i], priors[n]
			n++
		}
	}
	t.sortEdges(moves[n:], priors[n:])
	return n
}
