package record

import (
	"errors"
	"fmt"
	"math"
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
