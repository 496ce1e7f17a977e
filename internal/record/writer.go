package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/carozero/carozero/game"
)

// WriteOptions say how files are written.
type WriteOptions struct {
	// Notation writes the moves of a text. nil: a column letter and a row number.
	Notation game.Notation

	// Charset names the encoding of the texts of a psq or lib file; "" is that of
	// the file that a tree was read from, or UTF-8. SGF is always UTF-8.
	Charset string
}

// HoldsMany reports whether a file of the format holds several games.
func (f Format) HoldsMany() bool { return f == SGF || f == Text }

// Write writes trees as a file of a format, one where the format holds no more, and
// returns what it could not hold. Of a tree with variations a psq file has the main line,
// and a text one line for each leaf. The error wraps ErrNoForm for a tree that
// the format cannot hold at all.
func Write(out io.Writer, trees []*Tree, f Format, o WriteOptions) (Loss, error) {
	var loss Loss
	if len(trees) != 1 && !f.HoldsMany() {
		return loss, fmt.Errorf("%d games: a %s file holds one", len(trees), f)
	}
	cs, err := lookupCharset(o.Charset)
	if err != nil {
		return loss, err
	}
	w := bufio.NewWriter(out)
	for _, t := range trees {
		own := cs
		if o.Charset == "" {
			if own, err = lookupCharset(t.Charset); err != nil {
				return loss, err
			}
		}
		switch f {
		case SGF:
			err = (&sgfWriter{out: w, loss: &loss}).write(t)
		case PSQ:
			err = writePSQ(w, t, &loss, own)
		case Lib:
			err = (&libWriter{out: w, loss: &loss, charset: own}).write(t)
		case Text:
			err = writeText(w, t, &loss, o.Notation)
		default:
			err = errors.New("want a format: sgf, psq, lib or text")
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
		loss.note(t.Note(int32(id)), lineOf{})
	}
	loss.info(t)
	return nil
}
