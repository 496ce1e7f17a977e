package mcts

import (
	"context"
	"slices"

	"github.com/carozero/carozero/game"
)

// proveRoot asks the solver about the expanded root, first for a win, then for what its
// moves come to, unless it has already answered completely. A root that was proven lost
// or drawn as a leaf lacks the proofs of its moves. The root has no playouts in flight.
func (s *Searcher) proveRoot() {
	t, r := &s.tree, &s.root
	nd := &t.nodes[0]
	if nd.proof() == game.Won || r.asked || nd.proof() != game.Unproven && t.allProven(nd) {
		return
	}
	restrict := s.run.limits.Restrict
	if restrict.at(1) {
		return
	}
	if nd.proof() == game.Unproven {
		if f := s.solver.Root(s.run.ctx, s.pos); f.Proof == game.Won && restrict.permits(0, s.pos.ToMove(), f.Move) {
			r.win = f.Move
			nd.makeProven(game.Won, f.Plies)
			return
		}
	}
	r.after = slices.Grow(r.after[:0], len(r.moves))[:len(r.moves)]
	clear(r.after)
	s.solver.Refute(s.run.ctx, s.pos, r.moves, r.after)
	r.asked = s.run.ctx.Err() == nil
	if slices.ContainsFunc(r.after, Solution.Found) {
		t.proveMoves(r)
	}
}

// allProven reports whether all edges of nd were visited and lead to proven nodes.
func (t *tree) allProven(nd *node) bool {
	return nd.nKids == nd.n && !slices.ContainsFunc(t.kids[nd.kids:][:nd.nKids], func(k kid) bool {
		return t.nodes[k.node].proof() == game.Unproven
	})
}

// makeProven proves a node without playouts in flight and gives its visits the proven
// value.
func (nd *node) makeProven(proof game.Result, plies int) {
	nd.setProof(proof, plies)
	nd.sum = int64(nd.visits) * fixed(proof.Value())
}

// proveMoves makes the moves of the root that the solver knows proven children, also
// those without visits, and proves the root if they decide it.
func (t *tree) proveMoves(r *root) {
	nd := &t.nodes[0]
	decisive := uint32(0) // the child that may prove the root: of lost ones the quickest
	note := func(id uint32) {
		if best := &t.nodes[decisive]; decisive == 0 || best.proof() != game.Lost || t.nodes[id].proof() == game.Lost &&
			t.nodes[id].plies() < best.plies() {
			decisive = id
		}
	}
	for i, k := range t.kids[nd.kids:][:nd.nKids] {
		f := r.solution(t.moves[nd.edges+uint32(i)])
		if f.Found() && t.nodes[k.node].proof() == game.Unproven {
			t.proveKid(i, f)
			note(k.node)
		}
	}
	for range t.raiseProven(r) {
		nd = &t.nodes[0]
		f := r.solution(t.moves[nd.edges+uint32(nd.nKids)])
		id := t.attach(0, seenFromParent(f.Proof))
		child := &t.nodes[id]
		child.makeProven(f.Proof, f.Plies)
		child.setWinningMove(f.Move)
		note(id)
	}
	if decisive != 0 {
		t.concludeRoot(decisive)
	}
}

// seenFromParent is what an edge to a proven node is worth.
func seenFromParent(p game.Result) float32 {
	if p == game.Won {
		return forbidden
	}
	return 0 - p.Value()
}

// proveKid proves a visited open child of the root and removes its former values from
// the mean of an open root, unless some visits may have been held.
func (t *tree) proveKid(edge int, f Solution) {
	nd := &t.nodes[0]
	child := t.childOf(nd, edge)
	before := child.sum
	child.makeProven(f.Proof, f.Plies)
	if nd.proof() == game.Unproven && !t.mayHold(nd, child) {
		nd.sum += before - child.sum
	}
	t.kids[nd.kids+uint32(edge)].q = seenFromParent(f.Proof)
}

// reopenRoot withdraws a proof that has no winning move: the root was a refuted child
// with children of its own, and the refutation does not say which of them wins. The
// search asks the solver again and continues if it finds nothing.
func (t *tree) reopenRoot() {
	nd := &t.nodes[0]
	if nd.n == 0 || nd.proof() != game.Won {
		return
	}
	sum, squares := fixed(nd.value), float32(nd.value*nd.value)
	for _, k := range t.kids[nd.kids:][:nd.nKids] {
		child := &t.nodes[k.node]
		if child.proof() == game.Lost {
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

// Audit asks the solver what the best move comes to. If it knows, the move is proven;
// where another is the best by that, it is checked too, four at most. Call Audit after a search
// is Done or abandoned and before Result; Search does so unless it was interrupted. It
// adds no playouts and finds nothing once ctx has ended.
func (s *Searcher) Audit(ctx context.Context) {
	for range mostAudits {
		if !s.auditable() {
			break
		}
		s.Result(&s.audited)
		best := s.audited.Children[0]
		if s.tree.edgeOf(&s.tree.nodes[0], best.Move) < 0 || !s.AuditMove(ctx, best.Move).Found() {
			break
		}
	}
}

// AuditMove asks the solver what m comes to, whether or not it is the best, and returns
// what it proves of the position after it; nothing if the move or the root is proven. If
// m has visits it is proven too. It is called as Audit is; m is legal at the root and does
// not end the game.
func (s *Searcher) AuditMove(ctx context.Context, m game.Move) Solution {
	t := &s.tree
	if !s.auditable() {
		return Solution{}
	}
	nd := &t.nodes[0]
	edge := t.edgeOf(nd, m)
	if edge >= 0 && t.childOf(nd, edge).proof() != game.Unproven {
		return Solution{}
	}
	f := s.solver.Audit(ctx, s.pos, m)
	if edge >= 0 && f.Found() {
		t.proveKid(edge, f)
		t.concludeRoot(t.kids[nd.kids+uint32(edge)].node)
	}
	return f
}

// auditable reports whether the solver may be asked about moves of the root.
func (s *Searcher) auditable() bool {
	if s.solver == (NoSolver{}) || s.queue.pending > 0 || s.pos == nil || s.kept != 0 || s.run.limits.Restrict.at(1) {
		return false
	}
	nd := &s.tree.nodes[0]
	return nd.n > 0 && nd.proof() != game.Won && nd.proof() != game.Lost
}

// raiseProven moves those that the solver knows to the front of the root's unvisited edges, puts
// the others in prior order, and returns their number.
func (t *tree) raiseProven(r *root) int {
	nd := &t.nodes[0]
	moves := t.moves[nd.edges:][nd.nKids:nd.n]
	priors := t.priors[nd.edges:][nd.nKids:nd.n]
	n := 0
	for i, m := range moves {
		if r.solution(m).Found() {
			moves[n], moves[i] = moves[i], moves[n]
			priors[n], priors[i] = priors[i], priors[n]
			n++
		}
	}
	t.sortEdges(moves[n:], priors[n:])
	return n
}
