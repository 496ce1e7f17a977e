package record

import (
	"errors"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
)

// Merge adds the lines of other trees to those of t. Moves that are there already
// are not added twice; comments that differ are joined, labels and marks that t does
// not have are added, what else is said of a node stays as t has it, and Info is that of t. The trees must be of one board
// and start. t is as it was only if there is no error.
func (t *Tree) Merge(other *Tree) error {
	switch {
	case t.Size != other.Size:
		return errors.New("boards of different sizes make no tree")
	case t.Start != other.Start:
		return errors.New("games with different starts make no tree")
	case len(t.Setup[0])+len(t.Setup[1])+len(other.Setup[0])+len(other.Setup[1]) > 0 || t.OutOfTurn() || other.OutOfTurn():
		return errors.New("games with stones set up make no tree: want games from the empty board, black first")
	}
	return t.graft(0, other)
}

// graft adds the lines of another tree below a node, which stands for its root.
func (t *Tree) graft(at int32, other *Tree) error {
	twins := make([]int32, len(other.Nodes)) // of the nodes of other
	twins[0] = at
	for id := int32(0); ; {
		if note := other.Note(id); note != nil {
			t.join(twins[id], note)
		}
		if id = other.Next(id); id == 0 {
			return nil
		}
		n := &other.Nodes[id]
		twin, err := t.child(twins[n.Parent], n.Move, n.Side)
		if err != nil {
			return err
		}
		twins[id] = twin
	}
}

// child returns the child of parent with a move, which it adds if there is none.
// What is said between moves belongs to the parent.
func (t *Tree) child(parent int32, m game.Move, side game.Side) (int32, error) {
	if m == game.NoMove {
		return parent, nil
	}
	for c := t.Nodes[parent].Child; c != 0; c = t.Nodes[c].Next {
		if n := &t.Nodes[c]; n.Move == m && n.Side == side {
			return c, nil
		}
	}
	return t.Add(parent, m, side)
}

// join adds what is said elsewhere of a node to what is said here.
func (t *Tree) join(id int32, from *Note) {
	to := t.Remark(id)
	switch {
	case to.Comment == "":
		to.Comment = from.Comment
	case from.Comment != "" && !strings.Contains("\n"+to.Comment+"\n", "\n"+from.Comment+"\n"):
		to.Comment += "\n" + from.Comment
	}
	if !to.Valued {
		to.Value, to.Valued = from.Value, from.Valued
	}
	if to.Time == 0 {
		to.Time = from.Time
	}
	to.Labels = joined(to.Labels, from.Labels, func(a, b Label) bool { return a.At == b.At })
	to.Marks = joined(to.Marks, from.Marks, func(a, b Mark) bool { return a == b })
	if to.Other == nil {
		to.Other = from.Other
	}
	to.Hot, to.Start = max(to.Hot, from.Hot), to.Start || from.Start
}

// joined adds the figures to others that those do not have, as far as a node may have so many.
func joined[F any](to, from []F, same func(a, b F) bool) []F {
	if to == nil {
		return from
	}
	for _, f := range from {
		if len(to) < MaxDepth && !slices.ContainsFunc(to, func(have F) bool { return same(have, f) }) {
			to = append(to, f)
		}
	}
	return to
}
