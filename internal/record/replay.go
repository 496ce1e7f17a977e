package record

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/option"
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
			return fmt.Errorf("move %d is %s's: want the sides to take turns, black first", ply,
				[2]string{"black", "white"}[n.Side])
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
		return fmt.Errorf("%s is to move after %d black and %d white stones that are set up: want %s", sides[t.First], black,
			white, sides[t.First.Other()])
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
	pos, ply := start.Clone(), 0
	play := func(id int32, m game.Move) error {
		ply++
		illegal := &IllegalError{Node: id, Ply: ply, Move: "a pass", Why: "is no move of the game"}
		if m != Pass {
			illegal.Move = names.FormatMove(m)
		}
		switch {
		case m == Pass:
			return illegal
		case pos.Outcome() != game.Undecided:
			illegal.Why = fmt.Sprintf("comes after the end of the game (%s, %s)", pos.Outcome(), pos.Reason())
			return illegal
		case id != 0 && t.Nodes[id].Side != pos.ToMove():
			illegal.Why = "is not by the side whose turn it is"
			return illegal
		case !pos.Legal(m):
			illegal.Why = ""
			return illegal
		}
		pos.Play(m)
		return nil
	}
	for _, m := range t.Moves(0) {
		if err := play(0, m); err != nil {
			return err
		}
	}
	for id := t.Nodes[0].Child; id != 0; {
		if m := t.Nodes[id].Move; m != game.NoMove {
			if err := play(id, m); err != nil {
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

// isSize reports whether a file may be of a board of that side length.
func isSize(n int) bool { return option.BoardSize.Holds(int64(n)) == nil }

// sizes names the side lengths of boards for a message.
func sizes() string { return fmt.Sprintf("%d to %d", option.BoardSize.Min, option.BoardSize.Max) }

// cellOf returns the cell in a column from the left and a row from the top, both
// from 0.
func cellOf(size, x, down int) game.Move { return game.Move((size-1-down)*size + x) }

// place returns the column of a cell from the left and its row from the top.
func place(size int, m game.Move) (x, down int) { return int(m) % size, size - 1 - int(m)/size }

// letters returns a cell as SGF writes it: the column, then the row from the top,
// each as a letter from a.
func letters(size int, m game.Move) string {
	x, down := place(size, m)
	return string([]byte{byte('a' + x), byte('a' + down)})
}

// Excerpt shortens foreign text for a message of one line.
func Excerpt(text string) string {
	const most = 40
	if len(text) > most {
		text = text[:most] + "..."
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(text, "?"))
}
