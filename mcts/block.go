package mcts

import "math/bits"

// The records of a node's visited edges lie side by side, as selection likes
// them. Their block has room for at most an eighth more than are used; when it
// is full they move to the next size, at the end of the slab. The blocks left
// behind are dead; when they have become an eighth of the slab, it is copied
// without them.

// deadShare is the part of the slab that may be dead: one in so many records.
const deadShare = 8

// blockStep returns how much larger a block gets when its n records fill it:
// 1 up to 16 records, then an eighth of the power of two below n.
func blockStep(n int) int { return 1 << max(0, bits.Len(uint(n))-4) }

// blockFull reports whether n records fill their block.
func blockFull(n int) bool { return n&(blockStep(n)-1) == 0 }

// room returns the size of nd's block: what its records need, and never more
// than it has edges.
func room(nd *node) int {
	step := blockStep(int(nd.nKids))
	return min((int(nd.nKids)+step-1)&-step, int(nd.n))
}

// widen moves the records of nd, whose block is full, to one of the next size.
func (t *tree) widen(nd *node) {
	n := int(nd.nKids)
	to := t.block(min(n+blockStep(n), int(nd.n)))
	copy(t.kids[to:], t.kids[nd.kids:int(nd.kids)+n])
	t.dead += n
	nd.kids = to
}

// block returns a new block of the given size.
func (t *tree) block(size int) uint32 {
	b := len(t.kids)
	t.growKids(size)
	t.kids = t.kids[:b+size]
	return uint32(b)
}

// squeeze rids the tree of its dead blocks if they are too many. The slab that
// is left serves the next time, until that takes more than the memory bound.
// Playouts in flight may go on: they don't refer to blocks.
func (s *Searcher) squeeze() {
	t, spare := &s.tree, &s.spare
	if t.dead*deadShare > len(t.kids) {
		spare.kids = t.moveBlocks(spare.kids)
	}
	if t.reserved()+spare.reserved() > s.opts.Memory {
		spare.kids = nil
	}
}

// moveBlocks copies the blocks in use, in the order of their nodes, to the slab
// to, and returns the slab that they have left.
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
