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
	points, ok := parsePoints(v.raw)
	if !ok {
		return fmt.Errorf("%s[%s]: want a point such as hh", v.name, Excerpt(v.raw))
	}
	stones := &b.tree.Setup[side]
	if *stones = append(*stones, points...); len(*stones) > MaxDepth {
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
		note.Hot = true
	case "LB":
		point, text, _ := strings.Cut(v.raw, ":")
		m, ok := parsePoint(point)
		if !ok || m == Pass || len(note.Labels) >= MaxDepth {
			note.keep(v.name, v.raw)
			break
		}
		note.Labels = append(note.Labels, Label{At: m, Text: unescape(b.decode(text), true)})
	default:
		b.figure(note, v)
	}
	return nil
}

// figure takes a mark, or a property of which nothing is known.
func (b *sgfBuilder) figure(note *Note, v *sgfValue) {
	for kind, name := range markNames {
		points, ok := parsePoints(v.raw)
		if v.name != name || !ok || len(note.Marks)+len(points) > MaxDepth {
			continue
		}
		for _, p := range points {
			note.Marks = append(note.Marks, Mark{At: p, Kind: MarkKind(kind)})
		}
		return
	}
	note.keep(v.name, b.decode(v.raw))
}

// parsePoints reads a point, or a rectangle of points such as aa:cc.
func parsePoints(raw string) (points []game.Move, ok bool) {
	from, to, pair := strings.Cut(raw, ":")
	a, ok := parsePoint(from)
	if !ok || a == Pass {
		return nil, false
	}
	if !pair {
		return []game.Move{a}, true
	}
	z, ok := parsePoint(to)
	if !ok || z == Pass || a&pointBottom != z&pointBottom {
		return nil, false
	}
	for y := a / pointRows % pointRows; y <= z/pointRows%pointRows; y++ {
		for x := a % pointRows; x <= z%pointRows; x++ {
			points = append(points, x+pointRows*y+a&pointBottom)
		}
	}
	return points, len(points) > 0
}
