package record

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
)

// libWriter writes a tree as a library of RenLib 3.
type libWriter struct {
	out  *bufio.Writer
	loss *Loss
	tree *Tree
}

// write writes one tree, with a root.
func (w *libWriter) write(t *Tree) error {
	if t.Size != libSize || t.Start != "" {
		return fmt.Errorf("%w in lib: a library of RenLib is of boards of %dx%d", ErrNoForm, libSize, libSize)
	}
	w.loss.info(t)
	t, err := t.played()
	if err != nil {
		return fmt.Errorf("%w in lib: %w", ErrNoForm, err)
	}
	w.tree = t
	header := append(bytes.Clone(libMagic), libVersion/100, libVersion%100)
	w.out.Write(header)
	w.out.Write(bytes.Repeat([]byte{0xff}, libHeader-len(header)))
	w.node(libItem{}, 0)
	w.nodes()
	return nil
}

// libItem is what a library has a node for: a move, with the text on its cell if
// there is one, or such a text alone.
type libItem struct {
	node int32
	at   game.Move
	text string
}

// items returns what stands below a node: its moves, and then the texts on other cells. A
// library has no empty texts, and one a cell: the last that the node has.
func (w *libWriter) items(id int32) (items []libItem) {
	texts := map[game.Move]string{}
	var cells []game.Move
	if n := w.tree.Note(id); n != nil {
		for _, l := range n.Labels {
			w.loss.count("labels", l.Text == "" || texts[l.At] != "")
			if l.Text != "" {
				texts[l.At], cells = l.Text, append(cells, l.At)
			}
		}
	}
	for c := w.tree.Nodes[id].Child; c != 0; c = w.tree.Nodes[c].Next {
		m := w.tree.Nodes[c].Move
		items = append(items, libItem{c, m, texts[m]})
		texts[m] = ""
	}
	for _, at := range cells {
		if texts[at] != "" {
			items = append(items, libItem{at: at, text: texts[at]})
		}
		texts[at] = ""
	}
	return items
}

// nodes writes all that stands below the root.
func (w *libWriter) nodes() {
	stack := [][]libItem{w.items(0)}
	for len(stack) > 0 {
		top := len(stack) - 1
		if len(stack[top]) == 0 {
			stack = stack[:top]
			continue
		}
		item := stack[top][0]
		stack[top] = stack[top][1:]
		var below []libItem
		if item.node != 0 {
			below = w.items(item.node)
		}
		flags := byte(0)
		if len(stack[top]) > 0 {
			flags |= libDown
		}
		if len(below) == 0 {
			flags |= libRight
		}
		w.node(item, flags)
		stack = append(stack, below)
	}
}

// node writes one node; the root is that of no item.
func (w *libWriter) node(item libItem, flags byte) {
	comment := ""
	root := item == libItem{}
	if n := w.tree.Note(item.node); n != nil && (root || item.node != 0) {
		comment = w.clean(n.Comment)
		if n.Hot > 0 {
			flags |= libMark
		}
		if n.Start {
			flags |= libStart
		}
		w.loss.note(n, Lib)
		w.loss.count("degrees of hot spots", n.Hot > 1)
	}
	if comment != "" {
		flags |= libComment
	}
	text := strings.ReplaceAll(w.clean(item.text), "\n", " ")
	if text != "" {
		flags |= libExtension
	}
	position := byte(0)
	if !root {
		if item.node == 0 {
			flags |= libNoMove
		}
		position = w.position(item.at)
	}
	w.out.Write([]byte{position, flags})
	if text != "" {
		w.out.Write([]byte{0, libBoardText})
	}
	if comment != "" {
		line, lines, more := strings.Cut(comment, "\n")
		if more {
			line += string(rune(libLines)) + strings.ReplaceAll(lines, "\n", "\r\n")
		}
		w.text(line)
	}
	if text != "" {
		w.text(text)
	}
}

// position returns the byte of a cell, 0 for a pass.
func (w *libWriter) position(m game.Move) byte {
	if m == Pass {
		return 0
	}
	x, down := place(libSize, m)
	return byte(16*down + x + 1)
}

// text writes a text that has no zero byte.
func (w *libWriter) text(text string) {
	w.out.WriteString(text)
	w.out.Write([]byte{0, 0}[:2-len(text)%2])
}

// clean returns a text without the bytes that end texts.
func (w *libWriter) clean(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r == 0 || r == libLines {
			return ' '
		}
		return r
	}, text)
	w.loss.count("texts with control characters", clean != text)
	return clean
}

// played returns a tree whose set-up stones are moves, and in which what is said
// between moves is said of the move before; t itself if it has neither.
func (t *Tree) played() (*Tree, error) {
	if err := t.setUpInTurn(); err != nil {
		return nil, err
	}
	plain := len(t.Setup[0])+len(t.Setup[1]) == 0
	for i := 1; i < len(t.Nodes) && plain; i++ {
		plain = t.Nodes[i].Move != game.NoMove
	}
	if plain {
		return t, nil
	}
	out := New(t.Size)
	out.Info = t.Info
	at, err := out.Extend(0, game.First, t.Moves(0), nil)
	if err != nil {
		return nil, err
	}
	return out, out.graft(at, t)
}
