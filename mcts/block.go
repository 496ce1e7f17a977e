package mcts

import "math/bits"

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

// dropDeadBlocks copies the slab without its dead blocks if they are too many. It keeps
// the old slab for the next copy if the memory bound allows. Playouts in flight are not
// affected: they don't refer to blocks.
func (s *Searcher) dropDeadBlocks() {
	t, spare := &s.tree, &s.spare
	if t.dead*deadShare > len(t.kids) {
		spare.kids = t.moveBlocks(spare.kids)
	}
	if t.reserved()+spare.reserved() > s.opts.Memory {
		spare.kids = nil
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
