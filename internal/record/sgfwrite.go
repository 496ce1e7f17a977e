package record

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
)

// movesPerLine is how many nodes a line of an SGF file has.
const movesPerLine = 12

// IsSGFOf reports whether a file is in SGF and was written by a program, in any
// version. The head is the beginning of the file, the program "name:version".
func IsSGFOf(head []byte, program string) bool {
	name, _, _ := strings.Cut(program, ":")
	return name != "" && bytes.HasPrefix(head, []byte("(;GM[")) && bytes.Contains(head, []byte("\nAP["+name))
}

// sgfWriter writes trees in the format FF[4] of SGF, as UTF-8.
type sgfWriter struct {
	out  *bufio.Writer
	loss *Loss
}

// write writes one tree. The layout is a line for each property of the game, and
// then the moves.
func (w *sgfWriter) write(t *Tree) error {
	if t.Size == 0 || t.Start != "" {
		return fmt.Errorf("%w in SGF: its moves are no cells of a board", ErrNoForm)
	}
	fmt.Fprintf(w.out, "(;GM[4]FF[4]CA[UTF-8]SZ[%d]\n", t.Size)
	for _, f := range t.texts() {
		if *f.text != "" {
			fmt.Fprintf(w.out, "%s[%s]\n", f.property, escape(*f.text))
		}
	}
	for side, name := range []string{"AB", "AW"} {
		if stones := t.Setup[side]; len(stones) > 0 {
			w.out.WriteString(name)
			for _, m := range stones {
				fmt.Fprintf(w.out, "[%s]", letters(t.Size, m))
			}
			w.out.WriteByte('\n')
		}
	}
	if t.OutOfTurn() {
		fmt.Fprintf(w.out, "PL[%c]\n", "BW"[t.First])
	}
	if w.note(t, 0) {
		w.out.WriteByte('\n')
	}
	w.nodes(t)
	w.out.WriteString(")\n")
	return nil
}

// nodes writes all nodes but the root.
func (w *sgfWriter) nodes(t *Tree) {
	written := 0 // since the last bracket
	for id := t.Nodes[0].Child; id != 0; {
		n := &t.Nodes[id]
		if forks(t, id) {
			w.out.WriteString("\n(")
			written = 0
		} else if written > 0 && written%movesPerLine == 0 {
			w.out.WriteByte('\n')
		}
		written++
		w.out.WriteByte(';')
		switch n.Move {
		case game.NoMove:
		case Pass:
			fmt.Fprintf(w.out, "%c[]", "BW"[n.Side])
		default:
			fmt.Fprintf(w.out, "%c[%s]", "BW"[n.Side], letters(t.Size, n.Move))
		}
		w.note(t, id)
		next := t.Next(id)
		for ; id != 0 && (next == 0 || id != t.Nodes[next].Parent); id = t.Nodes[id].Parent {
			if forks(t, id) {
				w.out.WriteByte(')')
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

// note writes what is said of a node and reports whether something is.
func (w *sgfWriter) note(t *Tree, id int32) bool {
	n := t.Note(id)
	if n == nil {
		return false
	}
	if n.Valued {
		fmt.Fprintf(w.out, "V[%g]", n.Value)
	}
	if n.Hot > 0 {
		fmt.Fprintf(w.out, "HO[%d]", n.Hot)
	}
	if n.Comment != "" {
		fmt.Fprintf(w.out, "C[%s]", escape(n.Comment))
	}
	for i, l := range n.Labels {
		if i == 0 {
			w.out.WriteString("LB")
		}
		fmt.Fprintf(w.out, "[%s:%s]", letters(t.Size, l.At), escapeSimple(l.Text))
	}
	for kind, name := range markNames {
		first := true
		for _, m := range n.Marks {
			if m.Kind != MarkKind(kind) {
				continue
			}
			if first {
				w.out.WriteString(name)
			}
			first = false
			fmt.Fprintf(w.out, "[%s]", letters(t.Size, m.At))
		}
	}
	for _, p := range n.Other {
		w.out.WriteString(p.Name)
		for _, raw := range p.Values {
			fmt.Fprintf(w.out, "[%s]", raw)
		}
	}
	w.loss.count("thinking times", n.Time > 0)
	w.loss.count("start marks", n.Start)
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
