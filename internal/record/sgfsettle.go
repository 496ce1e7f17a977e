package record

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
)

// finish turns points into cells, now that the size of the board is known.
func (b *sgfBuilder) finish() error {
	if kind := strings.TrimSpace(b.kind); kind != "" && kind != "4" {
		return fmt.Errorf("GM[%s] is another game: want GM[4], gomoku and renju", Excerpt(kind))
	}
	t := b.tree
	if text := strings.TrimSpace(b.size); text != "" {
		columns, rows, pair := strings.Cut(text, ":")
		n, err := strconv.Atoi(columns)
		if err != nil || !isSize(n) || pair && rows != columns {
			return fmt.Errorf("SZ[%s]: want a square board of %s", Excerpt(text), sizes())
		}
		t.Size, t.Sized = n, true
	}
	if t.Size == 0 {
		return errors.New("a record in SGF, which is of a board whose cells are the moves")
	}
	stone := 0
	for _, stones := range t.Setup {
		for i, raw := range stones {
			stone++
			cell, err := settlePoint(raw, t.Size)
			if err == nil && cell == Pass {
				err = offBoard(rawPoint(raw), t.Size)
			}
			if err != nil {
				return fmt.Errorf("set-up stone %d: %w", stone, err)
			}
			stones[i] = cell
		}
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Move == game.NoMove {
			continue
		}
		cell, err := settlePoint(n.Move, t.Size)
		if err != nil {
			return fmt.Errorf("move %d: %w", t.ply(int32(i)), err)
		}
		n.Move = cell
	}
	b.settleFirst()
	b.settleFigures()
	return nil
}

// settleFirst takes back who is said to make the first move where the other side makes it.
func (b *sgfBuilder) settleFirst() {
	t := b.tree
	for id := t.Nodes[0].Child; id != 0; id = t.Nodes[id].Child {
		if n := &t.Nodes[id]; n.Move != game.NoMove {
			if n.Side != t.First {
				t.First, t.Told = game.First, false
			}
			return
		}
	}
}

// settleFigures turns the points of labels and marks into cells; one beside the board is
// no figure of it, and is kept as it was, as a rectangle is that is not all on the board.
func (b *sgfBuilder) settleFigures() {
	size := b.tree.Size
	for i := range b.tree.notes {
		note := &b.tree.notes[i]
		labels := note.Labels[:0]
		for _, l := range note.Labels {
			raw := l.At
			if l.At, _ = settlePoint(raw, size); int(l.At) < size*size && fits(raw, size) {
				labels = append(labels, l)
			} else {
				note.keep("LB", rawPoint(raw)+":"+escapeSimple(l.Text))
			}
		}
		note.Labels = labels
		note.settleMarks(size)
	}
}

// settleMarks turns the points of marks into cells; those beyond MaxDepth cells are kept as they
// were.
func (n *Note) settleMarks(size int) {
	found := n.Marks
	n.Marks = found[:0]
	if slices.ContainsFunc(found, func(m Mark) bool { return m.Kind >= corner }) {
		n.Marks = nil // a rectangle has more points than corners
	}
	var points []game.Move
	for i := 0; i < len(found); i++ {
		from, to, kind := found[i].At, found[i].At, found[i].Kind&^corner
		if found[i].Kind >= corner {
			i++
			to = found[i].At
		}
		if !fits(from, size) || !fits(to, size) || len(n.Marks)+countPoints(from, to) > MaxDepth {
			raw := rawPoint(from)
			if to != from {
				raw += ":" + rawPoint(to)
			}
			n.keep(markNames[kind], raw)
			continue
		}
		points = appendPoints(points[:0], from, to)
		for _, p := range points {
			cell, _ := settlePoint(p, size)
			n.Marks = append(n.Marks, Mark{At: cell, Kind: kind})
		}
	}
}

// fits reports whether a point of SGF is a cell of a board.
func fits(raw game.Move, size int) bool {
	m, err := settlePoint(raw, size)
	return err == nil && m != Pass
}

// keep adds a value to a property that has no other place.
func (n *Note) keep(name, raw string) {
	if last := len(n.Other) - 1; last >= 0 && n.Other[last].Name == name {
		n.Other[last].Values = append(n.Other[last].Values, raw)
		return
	}
	n.Other = append(n.Other, Property{name, []string{raw}})
}
