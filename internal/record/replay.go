package record

import (
	"fmt"

	"github.com/carozero/carozero/game"
)

// IllegalError says where a game leaves the rules.
type IllegalError struct {
	Node int32 // 0: a stone that was set up
	Ply  int   // number of the move, from 1; set-up stones count
	Move string
	Why  string
}

// Error implements [error].
func (e *IllegalError) Error() string {
	if e.Why == "" {
		return fmt.Sprintf("move %d, %s, is illegal", e.Ply, e.Move)
	}
	return fmt.Sprintf("move %d, %s, %s", e.Ply, e.Move, e.Why)
}

// Turns returns an error unless the sides take turns on the way to a node, the
// first player first, and no move is a pass.
func (t *Tree) Turns(id int32) error {
	if err := t.setUpInTurn(); err != nil {
		return err
	}
	ply := len(t.Setup[game.First]) + len(t.Setup[game.Second])
	for _, id := range t.Path(id) {
		n := &t.Nodes[id]
		if n.Move == game.NoMove {
			continue
		}
		ply++
		if n.Move == Pass {
			return fmt.Errorf("move %d: a pass: gomoku has none", ply)
		}
		if n.Side != game.Side((ply-1)%2) {
			return fmt.Errorf("move %d is %s's: want the sides to take turns, black first", ply, [2]string{"black", "white"}[n.Side])
		}
	}
	return nil
}

// setUpInTurn returns an error unless the stones that are set up can have been
// played in turn.
func (t *Tree) setUpInTurn() error {
	black, white := len(t.Setup[game.First]), len(t.Setup[game.Second])
	if _, ok := t.Implied(); !ok {
		return fmt.Errorf("%d black and %d white stones are set up: want as many of both, or one more of black", black, white)
	}
	if t.OutOfTurn() {
		sides := [2]string{"black", "white"}
		return fmt.Errorf("%s is to move after %d black and %d white stones that are set up: want %s", sides[t.First], black, white, sides[t.First.Other()])
	}
	return nil
}

// Replay plays all moves of the tree from start, which it leaves as it was, and
// returns an IllegalError for the first that the rules do not allow: the first in
// the main line, if it has one. The notation names moves.
func (t *Tree) Replay(start game.Position, names game.Notation) error {
	if err := t.setUpInTurn(); err != nil {
		return err
	}
	pos := start.Clone()
	ply := 0
	for _, m := range t.Moves(0) {
		ply++
		if err := play(pos, m, ply, 0, names); err != nil {
			return err
		}
	}
	for id := t.Nodes[0].Child; id != 0; {
		n := &t.Nodes[id]
		if n.Move != game.NoMove {
			ply++
			if n.Move != Pass && pos.Outcome() == game.Undecided && n.Side != pos.ToMove() {
				return &IllegalError{id, ply, names.FormatMove(n.Move), "is not by the side whose turn it is"}
			}
			if err := play(pos, n.Move, ply, id, names); err != nil {
				return err
			}
		}
		next := t.Next(id)
		for ; next != 0 && id != t.Nodes[next].Parent; id = t.Nodes[id].Parent {
			if t.Nodes[id].Move != game.NoMove {
				pos.Undo()
				ply--
			}
		}
		id = next
	}
	return nil
}

// play makes a move that must be legal.
func play(pos game.Position, m game.Move, ply int, id int32, names game.Notation) error {
	switch {
	case m == Pass:
		return &IllegalError{id, ply, "a pass", "is no move of the game"}
	case pos.Outcome() != game.Undecided:
		return &IllegalError{id, ply, names.FormatMove(m), fmt.Sprintf("comes after the end of the game (%s, %s)", pos.Outcome(), pos.Reason())}
	case !pos.Legal(m):
		return &IllegalError{id, ply, names.FormatMove(m), ""}
	}
	pos.Play(m)
	return nil
}
