package record

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
)

// markNames are the properties of SGF for the figures of marks.
var markNames = [...]string{Triangle: "TR", Square: "SQ", Circle: "CR", Cross: "MA"}

// take takes one value of the node that was read last; moved says that it is a
// move.
func (b *sgfBuilder) take(v *sgfValue, moved bool) error {
	switch v.name {
	case "B", "W", "FF", "CA":
		return nil
	case "GM":
		b.kind = v.raw
		return nil
	case "SZ":
		b.size = v.raw
		return nil
	case "AB", "AW":
		return b.setUp(v)
	case "PL":
		if b.firstPlayer(v.raw) {
			return nil
		}
	case "AE":
		return errors.New("AE takes stones off the board: want games of moves")
	}
	for _, f := range b.tree.texts() {
		if f.property == v.name {
			*f.text = unescape(b.decode(v.raw), v.name != "GC")
			return nil
		}
	}
	if v.name == "C" && unescape(v.raw, false) == "" {
		return nil
	}
	note, err := b.note(moved)
	if err != nil {
		return err
	}
	return b.remark(note, v, moved)
}

// note returns the note of the node that was read last. One that is no move is made
// when something is said of it.
func (b *sgfBuilder) note(moved bool) (*Note, error) {
	if !moved && !b.root && !b.made {
		id, err := b.tree.Add(b.at, game.NoMove, game.First)
		if err != nil {
			return nil, err
		}
		b.at, b.made = id, true
	}
	return b.tree.Remark(b.at), nil
}

// setUp adds stones of AB or AW: a point, or a rectangle of them.
func (b *sgfBuilder) setUp(v *sgfValue) error {
	if b.moved {
		return fmt.Errorf("%s after the first move: want set-up stones before it only", v.name)
	}
	side := game.First
	if v.name == "AW" {
		side = game.Second
	}
	from, to, ok := parsePoints(v.raw)
	if !ok {
		return fmt.Errorf("%s[%s]: want a point such as hh", v.name, Excerpt(v.raw))
	}
	stones := &b.tree.Setup[side]
	if *stones = appendPoints(*stones, from, to); len(*stones) > MaxDepth {
		return fmt.Errorf("more than %d moves", MaxDepth)
	}
	return nil
}

// firstPlayer takes who makes the first move; false where it is said of another one, or
// unreadable.
func (b *sgfBuilder) firstPlayer(raw string) bool {
	side, ok := map[string]game.Side{"b": game.First, "black": game.First, "1": game.First, "w": game.Second, "white": game.Second, "2": game.Second}[strings.ToLower(strings.TrimSpace(raw))]
	if !ok || b.moved {
		return false
	}
	b.tree.First, b.tree.Told = side, true
	return true
}

// remark takes what is said of a node.
func (b *sgfBuilder) remark(note *Note, v *sgfValue, moved bool) error {
	b.more += sgfKept
	switch v.name {
	case "C":
		note.Comment = unescape(b.decode(v.raw), false)
	case "V":
		n, err := strconv.ParseFloat(strings.TrimSpace(v.raw), 64)
		switch {
		case err == nil && !math.IsInf(n, 0) && !math.IsNaN(n):
			note.Value, note.Valued = n, true
		case moved:
			return fmt.Errorf("move %d: V[%s]: want a number", b.tree.ply(b.at), Excerpt(v.raw))
		default:
			note.keep(v.name, v.raw)
		}
	case "HO":
		note.Hot = 1
		if strings.TrimSpace(v.raw) == "2" {
			note.Hot = 2
		}
	case "LB":
		point, text, _ := strings.Cut(v.raw, ":")
		m, ok := parsePoint(point)
		if !ok || m == Pass || len(note.Labels) >= MaxDepth {
			note.keep(v.name, v.raw)
			break
		}
		note.Labels = append(note.Labels, Label{At: m, Text: unescape(b.decode(text), true)})
	default:
		return b.figure(note, v)
	}
	return nil
}

// corner is set in the kind of a mark at a corner of a rectangle: until the size of the board
// is known, a rectangle is the marks at two of them.
const corner MarkKind = 1 << 7

// figure takes a mark, or a property of which nothing is known.
func (b *sgfBuilder) figure(note *Note, v *sgfValue) error {
	for kind, name := range markNames {
		if v.name != name {
			continue
		}
		from, to, ok := parsePoints(v.raw)
		if !ok {
			break
		}
		n := countPoints(from, to)
		b.more += sgfPoint * n
		if b.marks += n; b.o.MaxMarks > 0 && b.marks > b.o.MaxMarks {
			return fmt.Errorf("%w: more than %d marks", ErrTooBig, b.o.MaxMarks)
		}
		if n == 1 {
			note.Marks = append(note.Marks, Mark{At: from, Kind: MarkKind(kind)})
		} else {
			note.Marks = append(note.Marks, Mark{At: from, Kind: MarkKind(kind) | corner}, Mark{At: to, Kind: MarkKind(kind) | corner})
		}
		return nil
	}
	note.keep(v.name, b.decode(v.raw))
	return nil
}

// parsePoints reads a point, or a rectangle of points such as aa:cc, and returns its corners.
func parsePoints(raw string) (from, to game.Move, ok bool) {
	first, last, pair := strings.Cut(raw, ":")
	from, ok = parsePoint(first)
	if !ok || from == Pass {
		return 0, 0, false
	}
	if !pair {
		return from, from, true
	}
	to, ok = parsePoint(last)
	ok = ok && to != Pass && from&pointBottom == to&pointBottom && from%pointRows <= to%pointRows && from/pointRows <= to/pointRows
	return from, to, ok
}

// countPoints returns how many points a rectangle has.
func countPoints(from, to game.Move) int {
	return int(to%pointRows-from%pointRows+1) * int(to/pointRows-from/pointRows+1)
}

// appendPoints appends the points of a rectangle, row by row.
func appendPoints(points []game.Move, from, to game.Move) []game.Move {
	for y := from / pointRows; y <= to/pointRows; y++ {
		for x := from % pointRows; x <= to%pointRows; x++ {
			points = append(points, x+pointRows*y)
		}
	}
	return points
}

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
