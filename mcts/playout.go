package mcts

import (
	"math"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
)

// step is one edge of a playout's path: the edge's index within its node. A step is
// held if its node has a proven draw and the playout only checks whether another move
// is better: the node and those above it count the visit as a draw.
type step struct {
	node uint32
	edge uint16
	held bool
}

// playout is one descent from its selection to its backup.
type playout struct {
	path  []step // from the root to the leaf
	leaf  uint32
	fresh bool // the leaf has no result yet: this playout evaluates it
	drawn int  // the root's drawn edge that a held first step replaces
	ready bool // the result has arrived

	// Result of assessing a fresh leaf.
	proof     game.Result
	plies     int
	move      game.Move // first move of a win
	asked     bool      // the evaluator was asked: moves and result count
	side      game.Side
	moves     []game.Move
	result    nn.Result
	priorBuf  []float32
	valueOnly bool    // the evaluator was asked only for the value
	value     float32 // its answer
}

// launch starts one playout. It reports false and changes nothing if every path leads
// to a node whose evaluation is pending.
func (s *Searcher) launch() bool {
	p := s.queue.free()
	if !s.descend(p) {
		return false
	}
	t := &s.tree
	for _, st := range p.path {
		k := t.kidOf(st)
		k.visits++
		s.expect(k)
	}
	s.run.launched++
	if s.run.limits.Root != nil && len(p.path) > 0 {
		s.run.limits.Root.count(int(p.path[0].edge))
	}
	p.asked, p.valueOnly, p.proof, p.ready = false, false, game.Unproven, true
	if p.fresh {
		s.walkTo(p.path)
		s.assess(p)
	}
	s.queue.push()
	return true
}

// assess evaluates the fresh leaf of p, whose position is on the board. The game may be
// over there, won at once, or proven by the solver; else the evaluator is asked. The root
// is evaluated even if it is won.
func (s *Searcher) assess(p *playout) {
	pos := s.pos
	s.proveLeaf(p)
	if p.proof != game.Unproven && len(p.path) > 0 {
		return
	}
	s.run.evals++
	if s.instant != nil && len(p.path) > 0 {
		p.valueOnly, p.value = true, s.instant.Value(pos)
		return
	}
	p.moves, p.side = pos.Moves(p.moves[:0]), pos.ToMove()
	p.result.Priors = p.priorBuf[:len(p.moves)]
	p.asked = true
	p.ready = s.eval.Add(pos, s.eval.Tag(pos), p.moves, &p.result)
}

// proveLeaf looks for a proof at the fresh leaf of p, whose position is on the
// board.
func (s *Searcher) proveLeaf(p *playout) {
	pos := s.pos
	if o := pos.Outcome(); o != game.Undecided {
		p.proof, p.plies, p.move = o.For(pos.ToMove()), 0, game.NoMove
		return
	}
	ply, restrict := len(p.path), s.run.limits.Restrict
	if s.moves = restrict.permitted(ply, pos.ToMove(), pos.Wins(s.moves[:0])); len(s.moves) > 0 {
		p.proof, p.plies, p.move = game.Won, 1, s.moves[0]
		return
	}
	if restrict.at(ply) {
		return
	}
	if f := s.solver.Leaf(s.run.ctx, pos); f.Found() {
		p.proof, p.plies, p.move = f.Proof, f.Plies, f.Move
	}
}

// queue holds the playouts in flight, oldest first. Their number of slots is
// Options.InFlight.
type queue struct {
	slots   []playout // used in turn
	limit   int       // of pending ones, at most as many as there are slots
	head    int       // slot of the oldest
	pending int
	waiting int  // pending ones without a result
	stalled bool // the next playout must wait until the oldest is backed up
}

// full reports whether no more playouts may be in flight.
func (q *queue) full() bool { return q.pending == q.limit }

// oldest returns the playout that is backed up next; the queue is not empty.
func (q *queue) oldest() *playout { return &q.slots[q.head] }

// free returns the slot for the next playout; the queue is not full.
func (q *queue) free() *playout { return &q.slots[(q.head+q.pending)%len(q.slots)] }

// push takes in the playout in the free slot.
func (q *queue) push() {
	if !q.free().ready {
		q.waiting++
	}
	q.pending++
}

// pop removes the oldest playout, which has its result. It stays valid until the next
// launch.
func (q *queue) pop() *playout {
	p := q.oldest()
	q.head = (q.head + 1) % len(q.slots)
	q.pending--
	q.stalled = false
	return p
}

// answer marks the oldest n waiting playouts as ready, or all if there are no more.
func (q *queue) answer(n int) {
	for i := q.head; n > 0 && q.waiting > 0; i = (i + 1) % len(q.slots) {
		if p := &q.slots[i]; !p.ready {
			p.ready = true
			q.waiting--
			n--
		}
	}
}

// empty calls drop for every playout, the latest first, and removes it.
func (q *queue) empty(drop func(p *playout)) {
	for ; q.pending > 0; q.pending-- {
		drop(&q.slots[(q.head+q.pending-1)%len(q.slots)])
	}
	q.waiting, q.stalled = 0, false
}

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
	s.listAt(path)
	moves, priors := s.weighed(path)
	s.tree.expandBriefly(id, moves, priors)
}

// complete gives the node at the end of a path the rest of its listed edges if its first
// ones have just all been visited, and the moves that were not listed if it has visited all
// that were, unless they are known to lose. So all edges of a node are visited only where
// no other move matters.
func (s *Searcher) complete(id uint32, path []step) {
	nd := &s.tree.nodes[id]
	if id == 0 || !s.tree.lazyEdges || nd.nKids < nd.n && nd.nKids != rung2 {
		return
	}
	complete := s.listAt(path)
	if complete && nd.nKids == nd.n {
		return
	}
	if nd.nKids == nd.n || len(s.moves) < int(nd.n) {
		s.moves = s.pos.Moves(s.moves[:0])
	}
	moves, priors := s.weighed(path)
	s.tree.setEdges(nd, moves, priors)
}

// completeRoot gives a root that was a child before an edge for every legal move.
func (s *Searcher) completeRoot() {
	nd := &s.tree.nodes[0]
	if nd.lazy() || s.tree.lazyEdges && nd.n > 0 {
		s.moves = s.pos.Moves(s.moves[:0])
		moves, priors := s.weighed(nil)
		s.tree.setEdges(nd, moves, priors)
	}
}

// setEdges gives an expanded or lazy node other edges, those that it has visited among them:
// these keep their places, and the others follow in prior order.
func (t *tree) setEdges(nd *node, moves []game.Move, priors []float32) {
	old, from, had := nd.edges, len(t.moves), room(nd)
	t.growEdges(len(moves))
	t.moves = append(t.moves, moves...)
	t.priors = append(t.priors, priors...)
	nd.n, nd.edges = uint16(len(moves)), uint32(from)
	moves, priors = t.moves[from:], t.priors[from:]
	for i := range int(nd.nKids) {
		j := i + slices.Index(moves[i:], t.moves[int(old)+i])
		moves[i], moves[j] = moves[j], moves[i]
		priors[i], priors[j] = priors[j], priors[i]
	}
	t.sortEdges(moves[nd.nKids:], priors[nd.nKids:])
	if room(nd) > had {
		t.relocate(nd, had, room(nd))
	}
}

// listAt brings the board to the end of a path, lists the moves to follow there in s.moves,
// and reports whether all others are known to lose.
func (s *Searcher) listAt(path []step) (complete bool) {
	s.walkTo(path)
	if !s.run.limits.Restrict.at(len(path)) {
		if s.moves, complete = s.solver.Edges(s.pos, s.moves[:0]); len(s.moves) > 0 {
			return complete
		}
	}
	s.moves = s.pos.Moves(s.moves[:0])
	return true
}

// weighed returns s.moves, less those that are barred, and the evaluator's priors; they are
// valid until the next call. The board is at the end of path.
func (s *Searcher) weighed(path []step) (moves []game.Move, priors []float32) {
	priors = s.priors[:len(s.moves)]
	s.instant.Priors(s.pos, s.moves, priors)
	return s.run.limits.Restrict.filter(len(path), s.pos.ToMove(), s.moves, priors)
}

// backupOldest backs up the oldest playout, which has its result.
func (s *Searcher) backupOldest() {
	p := s.queue.pop()
	s.run.count(len(p.path))

	t := &s.tree
	leaf := &t.nodes[p.leaf]
	if p.asked {
		p.moves, p.result.Priors = s.run.limits.Restrict.filter(len(p.path), p.side, p.moves, p.result.Priors)
	}
	proven := p.fresh && p.proof != game.Unproven && leaf.proof() == game.Unproven
	if proven {
		leaf.setProof(p.proof, p.plies)
	}
	if p.leaf == 0 && p.fresh {
		s.expandRoot(p)
	} else if p.asked {
		t.expand(p.leaf, p.moves, p.result.Priors, p.result.Value())
	} else if p.valueOnly {
		leaf.setLazy(p.value)
	} else if proven {
		leaf.setWinningMove(p.move)
	}
	if len(p.path) > 0 && p.path[0].held {
		s.root.credit(p.drawn, int(p.path[0].edge))
	}
	t.backup(p.path, p.leaf, fixed(leaf.value), proven)
	if s.loss > 0 {
		for _, st := range p.path {
			s.expect(t.kidOf(st))
		}
	}
	if s.opts.EarlyStop && s.run.quota > 0 && !s.allotted() {
		s.run.stopped = s.run.stopped || s.leadIsFinal()
	}
}

// leadIsFinal reports whether the remaining playouts cannot change which move of the
// root has the most visits. Playouts in flight count for the move that they follow.
func (s *Searcher) leadIsFinal() bool {
	var most, second uint32
	nd := &s.tree.nodes[0]
	for _, k := range s.tree.kids[nd.kids:][:nd.nKids] {
		switch {
		case s.tree.nodes[k.node].proof() == game.Drawn:
			return false
		case k.lost():
		case k.visits > most:
			most, second = k.visits, most
		case k.visits > second:
			second = k.visits
		}
	}
	return int64(most)-int64(second) > int64(s.run.left())
}

// backup adds one visit and the value, for the leaf's side to move, to the leaf and to
// all nodes on the path to it. A proven node's sum is set to its proven value times its
// visits. The difference is passed on to the nodes above, so that their means no longer
// contain the values that the proof refuted; it stops at a node with a drawn child,
// whose held visits never were part of the node's sum. proven says that the leaf has
// just been proven. A proof below a proven node is passed up as long as it shortens the
// proofs there.
func (t *tree) backup(path []step, leaf uint32, value int64, proven bool) {
	child := &t.nodes[leaf]
	square := squareOf(value)
	if child.proof() != game.Unproven {
		square = squareOf(fixed(child.proof().Value()))
	}
	for i := len(path) - 1; ; i-- {
		child.visits++
		if child.proof() == game.Unproven {
			child.sum += value
			child.addSquare(square)
		} else {
			sum := int64(child.visits) * fixed(child.proof().Value())
			value = sum - child.sum
			child.sum = sum
		}
		if i < 0 {
			return
		}
		parent := &t.nodes[path[i].node]
		k := &t.kids[parent.kids+uint32(path[i].edge)]
		if child.proof() == game.Won {
			k.lose()
		} else {
			k.q = -child.mean()
		}
		proven = proven && (parent.proof() == game.Unproven && t.proveParent(parent, child, i) || t.shorten(parent, child))
		if child.proof() != game.Unproven && t.mayHold(parent, child) {
			value = fixed(child.proof().Value())
		}
		value = -value
		if path[i].held {
			value, square = 0, 0
		}
		child = parent
	}
}

// mayHold reports whether visits of child, a child of nd, may have been held: nd
// has another child that is a proven draw.
func (t *tree) mayHold(nd, child *node) bool {
	for _, k := range t.kids[nd.kids:][:nd.nKids] {
		if c := &t.nodes[k.node]; c != child && c.proof() == game.Drawn {
			return true
		}
	}
	return false
}

// squareOf returns the square of a value in fixed point.
func squareOf(value int64) float32 {
	v := float32(value) / one
	return float32(v * v)
}

// proveParent tries to prove nd, ply plies below the root, after one of its children
// was proven. One lost child proves a win; a loss or a draw needs a proof of every
// legal move.
func (t *tree) proveParent(nd, child *node, ply int) bool {
	if child.proof() == game.Lost {
		t.proofs++
		nd.setProof(game.Won, child.plies()+1)
		return true
	}
	if nd.nKids < nd.n || ply < t.partial {
		return false
	}
	proof := game.Lost
	var lost, drawn int // longest
	for _, k := range t.kids[nd.kids:][:nd.nKids] {
		switch c := &t.nodes[k.node]; c.proof() {
		case game.Unproven:
			return false
		case game.Drawn:
			proof, drawn = game.Drawn, max(drawn, c.plies())
		default:
			lost = max(lost, c.plies())
		}
	}
	t.proofs++
	longest := lost
	if proof == game.Drawn {
		longest = drawn
	}
	nd.setProof(proof, longest+1)
	return true
}

// shorten shortens the proof of nd by the new proof of its child, and reports whether
// it could. Playouts that were in flight below nd when it was proven may find a faster
// win.
func (t *tree) shorten(nd, child *node) bool {
	plies := 0
	switch {
	case nd.proof() == game.Won && child.proof() == game.Lost:
		plies = child.plies() + 1
	case nd.proof() == game.Lost && nd.nKids == nd.n:
		for _, k := range t.kids[nd.kids:][:nd.nKids] {
			plies = max(plies, t.nodes[k.node].plies()+1)
		}
	}
	if plies == 0 || plies >= nd.plies() {
		return false
	}
	nd.setProof(nd.proof(), plies)
	return true
}

// takeBack undoes the launch of p, the latest playout in flight.
func (s *Searcher) takeBack(p *playout) {
	t := &s.tree
	for _, st := range p.path {
		k := t.kidOf(st)
		k.visits--
		s.expect(k)
	}
	if n := len(p.path); p.fresh && n > 0 {
		t.dropKid(p.path[n-1].node)
	}
}
