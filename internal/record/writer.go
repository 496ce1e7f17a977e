package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
)

// HoldsMany reports whether a file of the format holds several games.
func (f Format) HoldsMany() bool { return f == SGF || f == Text }

// Write writes trees as a file of a format, one where the format holds no more, and
// returns what it could not hold. Texts are UTF-8; n writes the moves of a text, nil: a
// column letter and a row number. Of a tree with variations a psq file has the main line,
// and a text one line for each leaf. The error wraps ErrNoForm for a tree that
// the format cannot hold at all.
func Write(out io.Writer, trees []*Tree, f Format, n game.Notation) (Loss, error) {
	var loss Loss
	if len(trees) != 1 && !f.HoldsMany() {
		return loss, fmt.Errorf("%d games: a %s file holds one", len(trees), f)
	}
	w := bufio.NewWriter(out)
	for _, t := range trees {
		var err error
		switch f {
		case SGF:
			err = (&sgfWriter{out: w, loss: &loss}).write(t)
		case PSQ:
			err = writePSQ(w, t, &loss)
		case Text:
			err = writeText(w, t, &loss, n)
		default:
			err = errors.New("want a format that is written: sgf, psq or text")
		}
		if err != nil {
			return loss, err
		}
	}
	return loss, w.Flush()
}

// writeText writes a line for each leaf of a tree.
func writeText(w *bufio.Writer, t *Tree, loss *Loss, n game.Notation) error {
	for leaf := range t.Leaves() {
		if err := t.Turns(leaf); err != nil && t.Size > 0 {
			return fmt.Errorf("%w in text: %w", ErrNoForm, err)
		}
		line := t.FormatLine(leaf, n)
		if line == "" {
			line = "#"
			loss.add("empty positions", 1)
		}
		w.WriteString(line + "\n")
	}
	for id := range t.Nodes {
		loss.note(t.Note(int32(id)), Text)
	}
	loss.info(t)
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
	w.loss.note(n, SGF)
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

// ErrNoForm is wrapped by the errors for trees that a format cannot hold at all.
var ErrNoForm = errors.New("there is no form")

// LostVariations is the kind of moves outside the main line.
const LostVariations = "moves of variations"

// Lost is a kind of things that a format could not hold, in the plural, and how many
// of them there were.
type Lost struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// Loss is what was lost in writing. The zero value has lost nothing.
type Loss struct{ Kinds []Lost }

// String returns what was lost, "" if nothing was: "3 comments, 1 variations".
func (l *Loss) String() string {
	var parts []string
	for _, k := range l.Kinds {
		parts = append(parts, fmt.Sprintf("%d %s", k.Count, k.What))
	}
	return strings.Join(parts, ", ")
}

// Add adds what was lost elsewhere.
func (l *Loss) Add(other Loss) {
	for _, k := range other.Kinds {
		l.add(k.What, k.Count)
	}
}

// add counts things of one kind.
func (l *Loss) add(what string, n int) {
	if n == 0 {
		return
	}
	for i := range l.Kinds {
		if l.Kinds[i].What == what {
			l.Kinds[i].Count += n
			return
		}
	}
	l.Kinds = append(l.Kinds, Lost{what, n})
}

// count adds one if lost.
func (l *Loss) count(what string, lost bool) {
	if lost {
		l.add(what, 1)
	}
}

// noteHeld are the kinds of what is said of a node that a format holds.
var noteHeld = map[Format][]string{
	SGF: {"comments", "labels", "marks", "values", "other properties", "hot spots"},
	PSQ: {"thinking times"},
}

// note counts what is said of a node and has no form.
func (l *Loss) note(n *Note, f Format) {
	if n == nil {
		return
	}
	one := map[bool]int{true: 1}
	for _, k := range []Lost{
		{"comments", one[n.Comment != ""]}, {"labels", len(n.Labels)}, {"marks", len(n.Marks)}, {"values", one[n.Valued]},
		{"other properties", len(n.Other)}, {"thinking times", one[n.Time > 0]}, {"hot spots", one[n.Hot > 0]},
	} {
		if !slices.Contains(noteHeld[f], k.What) {
			l.add(k.What, k.Count)
		}
	}
}

// info counts what is said of a game as a whole, but for the texts that a format
// holds.
func (l *Loss) info(t *Tree, holds ...string) {
	for _, f := range t.texts() {
		l.count("texts about games", *f.text != "" && !slices.Contains(holds, f.property))
	}
}

// result counts what is lost of the result of a game where who won is kept alone.
func (l *Loss) result(t *Tree) {
	text := strings.TrimSpace(t.Result)
	_, why, _ := strings.Cut(text, "+")
	switch o, _ := t.Outcome(); o {
	case game.Undecided:
		l.count("results", text != "" && text != "?")
	case game.FirstWins, game.SecondWins:
		l.count("reasons of results", why != "")
	}
}
