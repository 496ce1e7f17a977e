package mcts

import (
	"math/bits"

	"github.com/carozero/carozero/game"
)

// A node is a position that a playout has reached. There are four kinds of nodes
// without edges, told apart by proof, visits and edges: a node that waits for its
// evaluation (no visits), a lazy one (playout.go), a finished game, and a win that was
// proven when the node was created.
type node struct {
	sum    int64   // of all values backed up, in units of 1/one, from the side to move
	visits uint32  // playouts backed up through this node
	edges  uint32  // first of n edges; without edges see winningMove
	kids   uint32  // first of nKids visited edges
	value  float32 // the evaluator's, from the side to move; 0 if it was not asked
	state  state
	n      uint16 // edges; 0 until the node is expanded
	nKids  uint16 // visited ones: edges[:nKids], in order of their first visit
}

// A kid is a visited edge: what selection needs of a child, side by side with
// its siblings.
type kid struct {
	q      float32 // the child's mean seen from the parent; forbidden if the child is lost for the parent
	visits uint32  // the child's visits and its playouts in flight
	node   uint32
}

// lost reports whether the child is lost for the parent.
func (k *kid) lost() bool { return k.q == forbidden }

// lose notes that the child is lost for the parent, so that selection never
// follows it again.
func (k *kid) lose() { k.q = forbidden }

// An edge is a legal move and its prior, in two slabs. These are the bytes that
// each record takes.
const (
	nodeBytes  = 32
	kidBytes   = 12
	moveBytes  = 2
	priorBytes = 4
	edgeBytes  = moveBytes + priorBytes
)

// one is the fixed-point unit of node.sum. Sums of integers do not depend on
// their order, and 2^32 visits fit.
const one = 1 << 30

// fixed converts a value in -1..1 to fixed point.
func fixed(v float32) int64 {
	return int64(max(-1, min(1, v)) * one)
}

// mean returns the mean value of a visited node, for its side to move.
func (nd *node) mean() float32 {
	return float32(float64(nd.sum) / (float64(nd.visits) * one))
}

// winningMove returns the first move of the win of a node that was proven without
// being expanded, NoMove for any other node.
func (nd *node) winningMove() game.Move {
	if nd.n > 0 || nd.proof() != game.Won {
		return game.NoMove
	}
	return game.Move(nd.edges)
}

// setWinningMove notes the first move of the win of a node without edges, NoMove
// if the game is over there.
func (nd *node) setWinningMove(m game.Move) { nd.edges = uint32(m) }

// tree is a set of slabs that refer to each other by index. Node 0 is the
// root. A node's visited edges lie in one block of kids.
type tree struct {
	nodes  []node
	kids   []kid
	moves  []game.Move // of the edges
	priors []float32   // of the edges
	dead   int         // records in blocks that were outgrown

	// partial is the number of plies below the root in which nodes may lack legal
	// moves; see Restriction.
	partial int

	// lazyEdges says that nodes other than the root keep only their first rung2 edges until
	// these have been visited.
	lazyEdges bool

	proofs int      // how often a node was proven by its children
	keys   []uint64 // scratch of order
	bound  int64    // bytes
}

// reset empties the tree and keeps its memory.
func (t *tree) reset() {
	t.nodes = append(t.nodes[:0], node{})
	t.kids = append(t.kids[:0], kid{})
	t.moves = t.moves[:0]
	t.priors = t.priors[:0]
	t.dead = 0
}

// reserve makes room for more nodes with the given number of edges each, up to a
// limit on the initial allocation; the slabs grow beyond it when needed.
func (t *tree) reserve(nodes, edges int) {
	const most = 64 << 20
	each := nodeBytes + 2*kidBytes + edgeBytes*edges
	nodes = min(nodes, int(min(most, t.bound))/each)
	t.growNodes(nodes)
	t.growKids(2 * nodes)
	t.growEdges(nodes * edges)
}

// grow returns s with room for n more elements. A slab that lacks it is
// doubled, or gets most elements more if that is less and enough.
func grow[T any](s []T, n int, most int64) []T {
	if len(s)+n <= cap(s) {
		return s
	}
	extra := int(max(0, min(int64(cap(s)), most)))
	bigger := make([]T, len(s), max(len(s)+n, cap(s)+extra))
	copy(bigger, s)
	return bigger
}

// growNodes, growKids and growEdges make room for n more records.
func (t *tree) growNodes(n int) { t.nodes = grow(t.nodes, n, t.headroom()/nodeBytes) }
func (t *tree) growKids(n int)  { t.kids = grow(t.kids, n, t.headroom()/kidBytes) }
func (t *tree) growEdges(n int) {
	most := t.headroom() / edgeBytes
	t.moves = grow(t.moves, n, most)
	t.priors = grow(t.priors, n, most)
}

// admit reports whether the bound allows what that many playouts may add, each at a node
// with at most moves: a node, its edges, and blocks that are outgrown on the way to it. If
// so it makes room for them. The answer depends on what is in use and not on what earlier
// searches have left reserved, so that a search at the bound can be repeated. No pointer
// into the slabs outlives it.
func (t *tree) admit(playouts, moves int) bool {
	edges := len(t.moves) + playouts*moves
	want := sizes{len(t.nodes) + playouts, len(t.kids) + 4*playouts*moves, edges}
	free := t.bound - want.bytes()
	if free < t.bound/slackShare {
		return false
	}
	if have := t.capacity(); want.nodes > have.nodes || want.kids > have.kids || want.edges > have.edges {
		t.divide(want, free)
	}
	return true
}

// slackShare is the part of the bound, one in so many bytes, that stays free: the less is
// left, the more often the slabs would be copied to divide it.
const slackShare = 32

// divide makes room for want, which leaves that many bytes of the bound free. A slab that
// lacks room is doubled. If the bound forbids that, what is free is divided: a half in
// equal parts, so that each slab gets some, and a half by what the slabs have in use; a
// slab that has more than its part gives it back.
func (t *tree) divide(want sizes, free int64) {
	have := t.capacity()
	doubled := sizes{doubledTo(have.nodes, want.nodes), doubledTo(have.kids, want.kids), doubledTo(have.edges, want.edges)}
	if doubled.bytes() <= t.bound {
		t.resize(want, doubled)
		return
	}
	part := func(n, bytes int) int {
		return n + int((float64(free)/6+float64(free)/2*float64(n*bytes)/float64(want.bytes()))/float64(bytes))
	}
	most := sizes{part(want.nodes, nodeBytes), part(want.kids, kidBytes), part(want.edges, edgeBytes)}
	t.resize(want, most)
}

// doubledTo returns the room of a slab that has room for have and is doubled if it needs
// want.
func doubledTo(have, want int) int {
	if want <= have {
		return have
	}
	return max(want, 2*have)
}

// sizes are numbers of records: in use, wanted or reserved.
type sizes struct{ nodes, kids, edges int }

func (n sizes) bytes() int64 {
	return nodeBytes*int64(n.nodes) + kidBytes*int64(n.kids) + edgeBytes*int64(n.edges)
}

// capacity returns how many records the slabs have room for.
func (t *tree) capacity() sizes {
	return sizes{cap(t.nodes), cap(t.kids), min(cap(t.moves), cap(t.priors))}
}

// resize gives slabs that have no room for want, or room for more than to, room for to.
func (t *tree) resize(want, to sizes) {
	t.nodes = resized(t.nodes, want.nodes, to.nodes)
	t.kids = resized(t.kids, want.kids, to.kids)
	t.moves = resized(t.moves, want.edges, to.edges)
	t.priors = resized(t.priors, want.edges, to.edges)
}

func resized[T any](s []T, want, to int) []T {
	if want <= cap(s) && cap(s) <= to {
		return s
	}
	other := make([]T, len(s), to)
	copy(other, s)
	return other
}

// headroom returns how many bytes one slab may grow by: half of what the bound still
// allows, so that the other slabs can grow too.
func (t *tree) headroom() int64 { return (t.bound - t.reserved()) / 2 }

// reserved returns the bytes of the slabs' capacities.
func (t *tree) reserved() int64 {
	return nodeBytes*int64(cap(t.nodes)) + kidBytes*int64(cap(t.kids)) +
		moveBytes*int64(cap(t.moves)) + priorBytes*int64(cap(t.priors))
}

// childOf returns the node of a visited edge of nd.
func (t *tree) childOf(nd *node, edge int) *node {
	return &t.nodes[t.kids[nd.kids+uint32(edge)].node]
}

// expand gives node id its legal moves and their priors; moves ascend.
func (t *tree) expand(id uint32, moves []game.Move, priors []float32, value float32) {
	nd := &t.nodes[id]
	nd.value = value
	nd.n = uint16(len(moves))
	nd.edges = uint32(len(t.moves))
	t.growEdges(len(moves))
	t.moves = append(t.moves, moves...)
	t.priors = append(t.priors, priors...)
	t.order(nd)
}

// expandBriefly is expand for a node that keeps only its first edges.
func (t *tree) expandBriefly(id uint32, moves []game.Move, priors []float32) {
	var top [rung2]int
	n := best(priors, rung2, &top)
	nd := &t.nodes[id]
	nd.n = uint16(len(moves))
	nd.edges = uint32(len(t.moves))
	t.growEdges(n)
	for _, i := range top[:n] {
		t.moves = append(t.moves, moves[i])
		t.priors = append(t.priors, priors[i])
	}
}

// kept returns how many edges of a node are in the slabs; nd is not the root.
func (t *tree) kept(nd *node) int {
	if t.lazyEdges {
		return nd.reach()
	}
	return int(nd.n)
}

// addKid visits the next edge of node id for the first time: it makes the
// child's node and gives its edge the value q until a result arrives. It
// returns the new node.
func (t *tree) addKid(id uint32, q float32) uint32 {
	child := t.attach(id, q)
	if !t.lazyEdges || id == 0 {
		t.order(&t.nodes[id])
	}
	return child
}

// attach is addKid for edges that are already in order.
func (t *tree) attach(id uint32, q float32) uint32 {
	child := uint32(len(t.nodes))
	t.growNodes(1)
	t.nodes = append(t.nodes, node{})
	nd := &t.nodes[id]
	if blockFull(int(nd.nKids)) {
		t.widen(nd)
	}
	t.kids[nd.kids+uint32(nd.nKids)] = kid{q: q, node: child}
	nd.nKids++
	return child
}

// dropKid takes back the latest addKid, which was of node id.
func (t *tree) dropKid(id uint32) {
	nd := &t.nodes[id]
	size := room(nd)
	nd.nKids--
	t.dead += size - room(nd)
	t.nodes = t.nodes[:len(t.nodes)-1]
}

// compact copies the subtree of node root to the empty tree to, breadth first,
// so that siblings come to lie together; to's nodes serve as the queue.
func (t *tree) compact(root uint32, to *tree) {
	to.nodes[0] = t.nodes[root]
	for i := 0; i < len(to.nodes); i++ {
		nd := &to.nodes[i]
		if nd.n == 0 {
			continue
		}
		edges, n := int(nd.edges), t.kept(nd)
		nd.edges = uint32(len(to.moves))
		to.growEdges(n)
		to.moves = append(to.moves, t.moves[edges:edges+n]...)
		to.priors = append(to.priors, t.priors[edges:edges+n]...)
		if nd.nKids == 0 {
			nd.kids = 0
			continue
		}
		kids := t.kids[nd.kids:][:nd.nKids]
		at := to.block(room(nd))
		nd.kids = at
		to.growNodes(len(kids))
		for j, k := range kids {
			child := uint32(len(to.nodes))
			to.nodes = append(to.nodes, t.nodes[k.node])
			k.node = child
			to.kids[at+uint32(j)] = k
		}
	}
}

// The records of a node's visited edges lie side by side in one block, for fast
// selection. A block has room for at most an eighth more records than are used. When
// it is full its records move to a larger block at the end of the slab, and the old
// block is dead. When dead blocks make up an eighth of the slab, it is copied without
// them.

// deadShare bounds the dead part of the slab: one record in deadShare.
const deadShare = 8

// blockStep returns how much larger a block gets when its n records fill it:
// 1 up to 16 records, then an eighth of the power of two below n.
func blockStep(n int) int { return 1 << max(0, bits.Len(uint(n))-4) }

// blockFull reports whether n records fill their block.
func blockFull(n int) bool { return n&(blockStep(n)-1) == 0 }

// room returns the size of nd's block, at most the number of its edges.
func room(nd *node) int {
	step := blockStep(int(nd.nKids))
	return min((int(nd.nKids)+step-1)&-step, int(nd.n))
}

// widen moves the records of nd, whose block is full, to one of the next size.
func (t *tree) widen(nd *node) {
	n := int(nd.nKids)
	t.relocate(nd, n, min(n+blockStep(n), int(nd.n)))
}

// relocate moves the records of nd from their block to a new one; both sizes are given.
func (t *tree) relocate(nd *node, from, size int) {
	to := t.block(size)
	copy(t.kids[to:], t.kids[nd.kids:][:nd.nKids])
	t.dead += from
	nd.kids = to
}

// block returns a new block of the given size.
func (t *tree) block(size int) uint32 {
	b := len(t.kids)
	t.growKids(size)
	t.kids = t.kids[:b+size]
	return uint32(b)
}

// dropDeadBlocks copies the slab without its dead blocks if they are too many. It keeps
// the old slab for the next copy if the memory bound allows. Playouts in flight are not
// affected: they don't refer to blocks.
func (s *Searcher) dropDeadBlocks() {
	if t := &s.tree; t.dead*deadShare > len(t.kids) {
		s.spare = t.moveBlocks(s.spare)
	}
	if s.tree.reserved()+int64(cap(s.spare))*kidBytes > s.opts.Memory {
		s.spare = nil
	}
}

// moveBlocks copies the blocks in use, in the order of their nodes, to the slab to, and
// returns the old slab.
func (t *tree) moveBlocks(to []kid) (left []kid) {
	left = t.kids
	t.kids = append(grow(to[:0], len(left)-t.dead, 0), kid{})
	for i := range t.nodes {
		nd := &t.nodes[i]
		if nd.nKids == 0 {
			nd.kids = 0
			continue
		}
		at := uint32(len(t.kids))
		t.kids = append(t.kids, left[nd.kids:][:room(nd)]...)
		nd.kids = at
	}
	t.dead = 0
	return left
}
