package record

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/carozero/carozero/game"
)

// ErrNoForm is wrapped by the errors for trees that a format cannot hold at all.
var ErrNoForm = errors.New("there is no form")

// Write writes trees as a file of a format: SGF holds all of them, a text one line of moves for
// each leaf, in the notation n; nil: a column letter and a row number. Texts are UTF-8. The
// error wraps ErrNoForm for a tree that the format cannot hold at all.
func Write(out io.Writer, trees []*Tree, f Format, n game.Notation) error {
	w := bufio.NewWriter(out)
	for _, t := range trees {
		var err error
		switch f {
		case SGF:
			err = writeSGF(w, t)
		case Text:
			err = writeText(w, t, n)
		default:
			err = errors.New("want a format that is written: sgf or text")
		}
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

// writeText writes a line for each leaf of a tree.
func writeText(w *bufio.Writer, t *Tree, n game.Notation) error {
	for leaf := range t.Leaves() {
		if err := t.Turns(leaf); err != nil && t.Size > 0 {
			return fmt.Errorf("%w in text: %w", ErrNoForm, err)
		}
		fmt.Fprintln(w, cmp.Or(t.FormatLine(leaf, n), "#"))
	}
	return nil
}

// movesPerLine is how many nodes a line of an SGF file has.
const movesPerLine = 12

// IsSGFOf reports whether a file is in SGF and was written by a program, in any
// version. The head is the beginning of the file, the program "name:version".
func IsSGFOf(head []byte, program string) bool {
	name, _, _ := strings.Cut(program, ":")
	return name != "" && bytes.HasPrefix(head, []byte("(;GM[")) && bytes.Contains(head, []byte("\nAP["+name))
}

// writeSGF writes a tree in the format FF[4] of SGF: a line for each property of the game, and
// then the moves.
func writeSGF(out *bufio.Writer, t *Tree) error {
	if t.Size == 0 || t.Start != "" {
		return fmt.Errorf("%w in SGF: its moves are no cells of a board", ErrNoForm)
	}
	fmt.Fprintf(out, "(;GM[4]FF[4]CA[UTF-8]SZ[%d]\n", t.Size)
	for _, f := range t.texts() {
		if *f.text != "" {
			fmt.Fprintf(out, "%s[%s]\n", f.property, escape(*f.text))
		}
	}
	for side, name := range []string{"AB", "AW"} {
		if stones := t.Setup[side]; len(stones) > 0 {
			out.WriteString(name)
			for _, m := range stones {
				fmt.Fprintf(out, "[%s]", letters(t.Size, m))
			}
			out.WriteByte('\n')
		}
	}
	if t.OutOfTurn() {
		fmt.Fprintf(out, "PL[%c]\n", "BW"[t.First])
	}
	if writeNote(out, t, 0) {
		out.WriteByte('\n')
	}
	writeNodes(out, t)
	out.WriteString(")\n")
	return nil
}

// writeNodes writes all nodes but the root.
func writeNodes(out *bufio.Writer, t *Tree) {
	written := 0 // since the last bracket
	for id := t.Nodes[0].Child; id != 0; {
		n := &t.Nodes[id]
		if forks(t, id) {
			out.WriteString("\n(")
			written = 0
		} else if written > 0 && written%movesPerLine == 0 {
			out.WriteByte('\n')
		}
		written++
		out.WriteByte(';')
		switch n.Move {
		case game.NoMove:
		case Pass:
			fmt.Fprintf(out, "%c[]", "BW"[n.Side])
		default:
			fmt.Fprintf(out, "%c[%s]", "BW"[n.Side], letters(t.Size, n.Move))
		}
		writeNote(out, t, id)
		next := t.Next(id)
		for ; id != 0 && (next == 0 || id != t.Nodes[next].Parent); id = t.Nodes[id].Parent {
			if forks(t, id) {
				out.WriteByte(')')
			}
		}
		id = next
	}
}

// forks reports whether a node has siblings, and so stands in brackets.
func forks(t *Tree, id int32) bool {
	p := &t.Nodes[t.Nodes[id].Parent]
	return p.Child != p.last
}

// writeNote writes what is said of a node and reports whether something is.
func writeNote(out *bufio.Writer, t *Tree, id int32) bool {
	n := t.Note(id)
	if n == nil {
		return false
	}
	if n.Valued {
		fmt.Fprintf(out, "V[%g]", n.Value)
	}
	if n.Hot > 0 {
		fmt.Fprintf(out, "HO[%d]", n.Hot)
	}
	if n.Comment != "" {
		fmt.Fprintf(out, "C[%s]", escape(n.Comment))
	}
	for i, l := range n.Labels {
		if i == 0 {
			out.WriteString("LB")
		}
		fmt.Fprintf(out, "[%s:%s]", letters(t.Size, l.At), escapeSimple(l.Text))
	}
	for kind, name := range markNames {
		first := true
		for _, m := range n.Marks {
			if m.Kind != MarkKind(kind) {
				continue
			}
			if first {
				out.WriteString(name)
			}
			first = false
			fmt.Fprintf(out, "[%s]", letters(t.Size, m.At))
		}
	}
	for _, p := range n.Other {
		out.WriteString(p.Name)
		for _, raw := range p.Values {
			fmt.Fprintf(out, "[%s]", raw)
		}
	}
	return n.Valued || n.Hot > 0 || n.Comment != "" || len(n.Labels)+len(n.Marks)+len(n.Other) > 0
}

var (
	escaper       = strings.NewReplacer(`\`, `\\`, `]`, `\]`)
	simpleEscaper = strings.NewReplacer(`\`, `\\`, `]`, `\]`, `:`, `\:`, "\n", " ")
)

// escape returns a text as it stands in a value.
func escape(text string) string { return escaper.Replace(text) }

// escapeSimple is escape for a text of one line that stands after a colon.
func escapeSimple(text string) string { return simpleEscaper.Replace(text) }
