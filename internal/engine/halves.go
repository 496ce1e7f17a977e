package engine

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
)

// Halves says what the two searches of an engine that uses both found, and why the move is
// that of one of them. Values and proofs are from the side to move's point of view.
type Halves struct {
	Decided Half    // whose move is played; Tree where both have the same
	Reason  Reason  // why
	Tree    Finding // of the tree search
	Other   Finding // of the classical search

	// Checked is the tree's move as the classical search judges it when it is played; its
	// Move is NoMove if it was not searched.
	Checked Finding

	// Refuted are the moves that the check refuted, in order.
	Refuted []Finding

	Playouts int64 // of the tree search
	Nodes    int64 // moves played by the classical one, the check included
}

// Finding is what one search says about one move.
type Finding struct {
	Move   game.Move
	Value  float32
	Proof  Proof // or claim
	Visits int   // of the move; tree search
	Depth  int   // of the iteration; classical search
}

// Half is one of the two searches.
type Half uint8

// The halves.
const (
	TreeHalf Half = iota
	ClassicalHalf
)

// String returns the name of the half's engine, "mcts" or "alphabeta".
func (h Half) String() string { return [...]string{"mcts", "alphabeta"}[h] }

// Reason is why a half's move is played.
type Reason uint8

// The reasons.
const (
	Alone   Reason = iota // the other half had no budget
	Agreed                // both have the same move
	Proven                // the half has proven what its move comes to, or that the other's loses
	Claimed               // the classical half claims a win
	Refuted               // the check refuted the tree's move
	Weighed               // by both values, visits and depth
)

// String returns a word for r.
func (r Reason) String() string {
	return [...]string{"alone", "agreed", "proven", "claimed", "refuted", "weighed"}[r]
}

// Text returns a line of English that says which half decided, why, and what both found:
//
//	alphabeta decides (refuted): mcts h8 +0.120, 930 visits; alphabeta i9 +0.050, depth 9; h8 checked: loss in 12
func (h *Halves) Text(n game.Notation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s decides (%s):", h.Decided, h.Reason)
	if h.Reason == Agreed {
		b.Reset()
		b.WriteString("both agree:")
	}
	separator := " "
	for i, f := range []Finding{h.Tree, h.Other} {
		if f.Move == game.NoMove {
			continue
		}
		fmt.Fprintf(&b, "%s%s %s", separator, Half(i), f.text(n))
		separator = "; "
		if Half(i) == TreeHalf {
			fmt.Fprintf(&b, ", %d visits", f.Visits)
		} else {
			fmt.Fprintf(&b, ", depth %d", f.Depth)
		}
	}
	for _, f := range h.Refuted {
		fmt.Fprintf(&b, "; %s checked: %s", n.FormatMove(f.Move), f.Proof)
	}
	if h.Checked.Move != game.NoMove && h.Checked.Proof.Result != Loss {
		fmt.Fprintf(&b, "; checked: %s", h.Checked.text(n))
	}
	return b.String()
}

// text returns the move and what it is worth.
func (f *Finding) text(n game.Notation) string {
	if f.Proof.Result != Unknown {
		return fmt.Sprintf("%s %s", n.FormatMove(f.Move), f.Proof)
	}
	return fmt.Sprintf("%s %+.3f", n.FormatMove(f.Move), f.Value)
}
