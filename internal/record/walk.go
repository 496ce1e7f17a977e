package record

import (
	"iter"
	"slices"

	"github.com/carozero/carozero/game"
)

// Next returns the node after id in the order in which a reader meets them: a node,
// then all that follows its first child, then its next one. 0 is the end.
func (t *Tree) Next(id int32) int32 {
	if c := t.Nodes[id].Child; c != 0 {
		return c
	}
	for ; id != 0; id = t.Nodes[id].Parent {
		if n := t.Nodes[id].Next; n != 0 {
			return n
		}
	}
	return 0
}

// Leaves yields the last node of each line, that of the main line first. A tree
// without moves has its root for one.
func (t *Tree) Leaves() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for id := int32(0); ; {
			if t.Nodes[id].Child == 0 && !yield(id) {
				return
			}
			if id = t.Next(id); id == 0 {
				return
			}
		}
	}
}

// MainLeaf returns the last node of the main line.
func (t *Tree) MainLeaf() (id int32) {
	for t.Nodes[id].Child != 0 {
		id = t.Nodes[id].Child
	}
	return id
}

// Path returns the nodes from the root, which it leaves out, to id.
func (t *Tree) Path(id int32) []int32 {
	path := make([]int32, 0, t.Nodes[id].Depth)
	for ; id != 0; id = t.Nodes[id].Parent {
		path = append(path, id)
	}
	slices.Reverse(path)
	return path
}

// Moves returns the moves on the way to a node. Stones that were set up come
// first, in turn, as if they had been played.
func (t *Tree) Moves(id int32) []game.Move {
	var moves []game.Move
	for i := range max(len(t.Setup[0]), len(t.Setup[1])) {
		for _, stones := range t.Setup {
			if i < len(stones) {
				moves = append(moves, stones[i])
			}
		}
	}
	for _, id := range t.Path(id) {
		if m := t.Nodes[id].Move; m != game.NoMove {
			moves = append(moves, m)
		}
	}
	return moves
}

// Branch returns a new tree with what the way to a node holds, and nothing of other
// lines.
func (t *Tree) Branch(id int32) *Tree {
	line := &Tree{
		Info: t.Info, Size: t.Size, Sized: t.Sized, Start: t.Start, First: t.First, Told: t.Told, Setup: t.Setup,
		Charset: t.Charset, Line: t.Line, Byte: t.Byte, Nodes: []Node{{Move: game.NoMove}},
	}
	from := append([]int32{0}, t.Path(id)...)
	for i, id := range from {
		if i > 0 {
			n := t.Nodes[id]
			// The way is within the bounds of the tree that it comes from.
			_, _ = line.Add(int32(i-1), n.Move, n.Side)
		}
		if note := t.Note(id); note != nil {
			*line.Remark(int32(i)) = *note
		}
	}
	return line
}

// ply returns the number of the move of a node, from 1; set-up stones count.
func (t *Tree) ply(id int32) int {
	n := len(t.Setup[0]) + len(t.Setup[1])
	for ; id != 0; id = t.Nodes[id].Parent {
		if t.Nodes[id].Move != game.NoMove {
			n++
		}
	}
	return n
}
