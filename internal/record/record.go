// Package record reads and writes games as trees of moves: SGF, and text, one game a line.
// Piskvork's psq and libraries of RenLib are read alone. [Detect] tells the form of a file, a
// [Reader] hands out one [Tree] after the other, [Write] writes trees.
// Files may be anybody's: sizes are bounded, nothing recurses, errors are a line that says
// where. Cells count row by row from the bottom left, as the moves of gomoku do.
package record

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
)

// Pass stands for a move that leaves the board as it is. No game here has it, but
// records of others do.
const Pass game.Move = game.NoMove - 1

// Bounds of a tree.
const (
	MaxNodes = 1 << 22 // in all
	MaxDepth = 1024    // on the way from the root to a leaf; more than any board has cells
)

// DefaultSize is the side length of a board where nothing says another.
const DefaultSize = 15

// Tree is a game with its variations. The first child of each node goes on with
// the main line.
type Tree struct {
	Info

	// Size is the side length of the board whose cells the moves are; 0 where
	// moves are no cells, as in Onitama. Sized says that the record itself names
	// it.
	Size  int
	Sized bool

	// Start is the text of what a game begins with where games begin differently:
	// Onitama's deal. "" is the usual start. First makes the first move from there; Told
	// says that it does so whatever stones are set up.
	Start string
	First game.Side
	Told  bool

	// Setup are stones that stood on the board before the first move, by side.
	Setup [2][]game.Move

	// Line is where the game begins in its file, from 1; 0 in a form that has no lines.
	Line int

	// Odd says what in the file is not as its format has it, and was read as it is meant.
	Odd []string

	Nodes []Node // the root first
	notes []Note
}

// Info is what a record says of a game as a whole. Empty texts say nothing. They
// are named as SGF names them.
type Info struct {
	Rule    string // of the game, as the record spells it
	Program string // that wrote the record, "name:version"
	Name    string
	Event   string
	Round   string
	Date    string
	Place   string
	Black   string // name of the first player
	White   string
	Result  string // as SGF writes it: "B+", "W+R", "0"; see Tree.Outcome
	Comment string
}

// infoText is one of the texts of Info, and the property of SGF that holds it.
type infoText struct {
	property string
	text     *string
}

// texts returns all texts, in the order in which an SGF file has them.
func (i *Info) texts() []infoText {
	return []infoText{
		{"AP", &i.Program}, {"RU", &i.Rule}, {"GN", &i.Name}, {"EV", &i.Event}, {"RO", &i.Round}, {"DT", &i.Date},
		{"PC", &i.Place},
		{"PB", &i.Black}, {"PW", &i.White}, {"RE", &i.Result}, {"GC", &i.Comment},
	}
}

// Title returns what to call the game: its name, or its players, or its event; "" if
// the record says none of them.
func (i *Info) Title() string {
	switch {
	case i.Name != "":
		return i.Name
	case i.Black != "" || i.White != "":
		return cmp.Or(i.Black, "?") + " - " + cmp.Or(i.White, "?")
	}
	return i.Event
}

// Node is a move, or where Move is NoMove what is said between moves; node 0 is
// the root and has none. Parent, Child (the first) and Next (the next one of the
// same parent) are nodes; 0 stands for none, as the root is nobody's child.
type Node struct {
	Move                game.Move
	Side                game.Side // that moved
	Depth               uint16    // nodes from the root
	Parent, Child, Next int32
	last                int32 // child
	note                int32 // in Tree.notes, from 1; 0: none
}

// Note is what a record says of a node besides its move.
type Note struct {
	Comment string
	Labels  []Label
	Marks   []Mark
	Value   float64 // what a search thought of the move, for the first player
	Valued  bool    // there is a value
	Hot     uint8   // 1, or 2 as SGF emphasises: a move to look at, RenLib's mark, SGF's hotspot

	// Other are properties of SGF that have no other place here, in order.
	Other []Property
}

// Label is a short text on a cell of the board, as it stands after the node's move.
type Label struct {
	At   game.Move
	Text string
}

// Mark is a figure on a cell of the board.
type Mark struct {
	At   game.Move
	Kind MarkKind
}

// MarkKind is the figure of a mark.
type MarkKind uint8

// The figures, in the order of MarkNames.
const (
	Triangle MarkKind = iota
	Square
	Circle
	Cross
)

// Property is a property of SGF: its name in capitals and its values as they are
// in the file, escapes included.
type Property struct {
	Name   string
	Values []string
}

// ErrTooBig is wrapped by the errors for trees beyond the bounds.
var ErrTooBig = errors.New("too large")

// New returns a tree of a root alone, on a board of a size; 0 where moves are no
// cells.
func New(size int) *Tree {
	return &Tree{Size: size, Nodes: []Node{{Move: game.NoMove}}}
}

// Add appends a node to the children of parent and returns its number.
func (t *Tree) Add(parent int32, m game.Move, side game.Side) (int32, error) {
	depth := t.Nodes[parent].Depth + 1
	switch {
	case len(t.Nodes) >= MaxNodes:
		return 0, fmt.Errorf("%w: more than %d nodes", ErrTooBig, MaxNodes)
	case depth > MaxDepth:
		return 0, fmt.Errorf("%w: more than %d moves", ErrTooBig, MaxDepth)
	}
	id := int32(len(t.Nodes))
	t.Nodes = append(t.Nodes, Node{Move: m, Side: side, Depth: depth, Parent: parent})
	p := &t.Nodes[parent]
	if p.Child == 0 {
		p.Child = id
	} else {
		t.Nodes[p.last].Next = id
	}
	p.last = id
	return id, nil
}

// Play adds a move of the side whose turn it is after parent.
func (t *Tree) Play(parent int32, m game.Move) (int32, error) {
	return t.Add(parent, m, t.ToMove(parent))
}

// Extend adds moves below a node, each below the one before, and returns the last
// node. The first move is side's, and the sides take turns. The values are what a
// search thought of each move; nil or NaN is unknown.
func (t *Tree) Extend(at int32, side game.Side, moves []game.Move, values []float64) (int32, error) {
	for i, m := range moves {
		var err error
		if at, err = t.Add(at, m, side); err != nil {
			return 0, err
		}
		if i < len(values) && !math.IsNaN(values[i]) {
			note := t.Remark(at)
			note.Value, note.Valued = values[i], true
		}
		side = side.Other()
	}
	return at, nil
}

// ToMove returns the side whose turn it is after a node: the other one than moved
// last, or at the start First, unless more of the first player's stones are set up and
// nobody has told otherwise.
func (t *Tree) ToMove(id int32) game.Side {
	for ; id != 0; id = t.Nodes[id].Parent {
		if n := &t.Nodes[id]; n.Move != game.NoMove {
			return n.Side.Other()
		}
	}
	if !t.Told && len(t.Setup[game.First]) > len(t.Setup[game.Second]) {
		return game.Second
	}
	return t.First
}

// Implied returns whose turn it is after the stones that are set up by their numbers
// alone; ok is false if these do not tell.
func (t *Tree) Implied() (side game.Side, ok bool) {
	switch len(t.Setup[game.First]) - len(t.Setup[game.Second]) {
	case 0:
		return game.First, true
	case 1:
		return game.Second, true
	}
	return game.First, false
}

// Tell tells who makes the first move, if the stones that are set up do not.
func (t *Tree) Tell(first game.Side) {
	if side, ok := t.Implied(); !ok || side != first {
		t.First, t.Told = first, true
	}
}

// OutOfTurn reports whether the stones that are set up cannot have been played in turn,
// and the record tells who moves first.
func (t *Tree) OutOfTurn() bool {
	side, ok := t.Implied()
	return t.Size > 0 && t.Told && (!ok || side != t.First)
}

// Note returns what is said of a node, nil if nothing is.
func (t *Tree) Note(id int32) *Note {
	if n := t.Nodes[id].note; n > 0 {
		return &t.notes[n-1]
	}
	return nil
}

// Remark returns the note of a node to write into, which it makes if there is
// none. It is good until the next call.
func (t *Tree) Remark(id int32) *Note {
	if t.Nodes[id].note == 0 {
		t.notes = append(t.notes, Note{})
		t.Nodes[id].note = int32(len(t.notes))
	}
	return &t.notes[t.Nodes[id].note-1]
}

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
		Line: t.Line, Nodes: []Node{{Move: game.NoMove}},
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

// Outcome reads the result of the game. What is unknown or void is Undecided, a
// win whose reason the record does not give has NoReason.
func (t *Tree) Outcome() (game.Outcome, game.Reason) {
	text := strings.ToLower(strings.TrimSpace(t.Result))
	winner, how, won := strings.Cut(text, "+")
	outcome := map[string]game.Outcome{
		"b": game.FirstWins, "black": game.FirstWins, "w": game.SecondWins, "white": game.SecondWins,
	}[winner]
	switch {
	case text == "0", text == "draw":
		return game.Draw, game.NoReason
	case !won || outcome == game.Undecided:
		return game.Undecided, game.NoReason
	}
	switch how {
	case "draw":
		return game.Draw, game.NoReason
	case "r", "resign":
		return outcome, game.Resigned
	case "t", "time", "f", "forfeit":
		return outcome, game.Forfeit
	}
	return outcome, game.NoReason
}

// SetOutcome records the result of a game, as far as SGF has words for its reason.
func (t *Tree) SetOutcome(o game.Outcome, r game.Reason) {
	t.Result = map[game.Outcome]string{game.Draw: "0", game.FirstWins: "B+", game.SecondWins: "W+"}[o]
	if o == game.FirstWins || o == game.SecondWins {
		t.Result += map[game.Reason]string{game.Resigned: "R", game.Forfeit: "F"}[r]
	}
}
