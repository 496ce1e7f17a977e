package record

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/carozero/carozero/game"
)

// node makes a node of the values that were read of it: its moves come before what is
// said of it.
func (g *sgfGame) node() error {
	if !g.begun {
		return nil
	}
	g.begun, g.made = false, false
	before := g.at
	for _, take := range []func(v *sgfValue) error{g.board, g.move} {
		if err := g.each(take); err != nil {
			return err
		}
	}
	moved := g.at != before
	if err := g.each(func(v *sgfValue) error { return g.take(v, moved) }); err != nil {
		return err
	}
	g.values = g.values[:0]
	switch {
	case g.tree.Size == 0:
		return errors.New("a record in SGF, which is of a board whose cells are the moves")
	case !g.o.holds(g.tree):
		return g.o.tooMany()
	}
	return nil
}

// each has all values of the node taken.
func (g *sgfGame) each(take func(v *sgfValue) error) error {
	for i := range g.values {
		if err := take(&g.values[i]); err != nil {
			return &Error{Line: g.values[i].line, Err: err}
		}
	}
	return nil
}

// board takes which game and board the record is of, which comes before its moves.
func (g *sgfGame) board(v *sgfValue) error {
	text := strings.Trim(v.raw, blanks)
	switch {
	case text == "" || v.name != "GM" && v.name != "SZ":
	case v.name == "GM" && text != "4":
		return fmt.Errorf("GM[%s] is another game: want GM[4], gomoku and renju", Excerpt(text))
	case v.name == "SZ":
		columns, rows, pair := strings.Cut(text, ":")
		n, err := strconv.Atoi(columns)
		if err != nil || !isSize(n) || pair && rows != columns {
			return fmt.Errorf("SZ[%s]: want a square board of %s", Excerpt(text), sizes())
		}
		if n != g.tree.Size && (g.moved || len(g.tree.Setup[0])+len(g.tree.Setup[1]) > 0) {
			return fmt.Errorf("SZ[%s] after the first stone: want it before", Excerpt(text))
		}
		g.tree.Size, g.tree.Sized = n, true
	}
	return nil
}

// move adds a move to the tree.
func (g *sgfGame) move(v *sgfValue) error {
	side := game.First
	switch v.name {
	case "B":
	case "W":
		side = game.Second
	case "QPR", "QSLB", "QSLW":
		return g.opening(v)
	default:
		return nil
	}
	m, err := g.point(v.raw)
	if err != nil {
		return fmt.Errorf("move %d: %w", g.tree.ply(g.at)+1, err)
	}
	g.moved = true
	g.at, err = g.tree.Add(g.at, m, side)
	return err
}

// opening adds the stones of an opening as sites for gomoku write it: QPR has the first ones
// in turn, with commas, and QSLB or QSLW the one that was chosen of those that were offered.
func (g *sgfGame) opening(v *sgfValue) error {
	points := g.list(v.raw)
	if len(points) == 0 || v.name != "QPR" && len(points) > 1 {
		return nil // take keeps it
	}
	for _, m := range points {
		var err error
		if g.at, err = g.tree.Play(g.at, m); err != nil {
			return err
		}
	}
	g.moved, v.name = true, "" // nothing else is to be taken of it
	return nil
}

// list reads points that commas separate; none if one of them is no point of the board.
func (g *sgfGame) list(raw string) (points []game.Move) {
	for _, text := range strings.Split(raw, ",") {
		m, err := g.point(text)
		if err != nil || m == Pass || len(points) == MaxDepth {
			return nil
		}
		points = append(points, m)
	}
	return points
}

// sgfKnown are the properties of SGF, and of sites for gomoku, of which something is known
// though they have no place in a tree. Others that hold points may be moves.
var sgfKnown = strings.Fields(`
	5A AN AP AR AS BL BM BR BS BT C CH CP CR DD DM DO DT EL EV EX FG GB GC GN GW HA HO ID IP IT IY KM KO L LB LN LT
	M MA MN N OB OH OM ON OP OT OV OW PB PC PL PM PW RE RG RO RU SC SE SI SL SO SQ ST SU TB TC TE TM TR TW UC US V
	VW WL WR WS WT`)

// point reads a point: a letter for the column and one for the row from the top, or, as
// some programs write it, a column letter and a row number from the bottom. "" is Pass,
// and so is tt on boards up to 19x19.
func (g *sgfGame) point(value string) (game.Move, error) {
	text, size := strings.Trim(value, blanks), g.tree.Size
	if text == "" || text == "tt" && size <= 19 {
		return Pass, nil
	}
	x, row := int(text[0]|0x20)-'a', -1
	if len(text) == 2 && text[1] >= 'A' {
		row = size - 1 - (int(text[1]|0x20) - 'a')
	} else if n, err := strconv.Atoi(text[1:]); err == nil && text[1] != '+' {
		row = n - 1
	}
	if x < 0 || x >= size || row < 0 || row >= size {
		return 0, fmt.Errorf("point %q is not on the board of %dx%d", Excerpt(value), size, size)
	}
	return game.Move(row*size + x), nil
}

// points reads a point that is no pass, or a rectangle of points such as aa:cc, row by row
// from its first corner; ok is false for others.
func (g *sgfGame) points(raw string) (points []game.Move, ok bool) {
	first, last, pair := strings.Cut(raw, ":")
	if !pair {
		last = first
	}
	from, err := g.point(first)
	to, err2 := g.point(last)
	if err != nil || err2 != nil || from == Pass || to == Pass {
		return nil, false
	}
	size := game.Move(g.tree.Size)
	if from%size > to%size {
		return nil, false
	}
	for y := int(max(from, to) / size); y >= int(min(from, to)/size); y-- {
		for x := from % size; x <= to%size; x++ {
			points = append(points, game.Move(y)*size+x)
		}
	}
	return points, true
}

// settleFirst takes back who is said to make the first move where the other side makes it.
func (g *sgfGame) settleFirst() {
	t := g.tree
	for id := t.Nodes[0].Child; id != 0; id = t.Nodes[id].Child {
		if n := &t.Nodes[id]; n.Move != game.NoMove {
			if n.Side != t.First {
				t.First, t.Told = game.First, false
			}
			return
		}
	}
}

// markNames are the properties of SGF for the figures of marks.
var markNames = [...]string{Triangle: "TR", Square: "SQ", Circle: "CR", Cross: "MA"}

// take takes one value of the node that was read last; moved says that it is a
// move.
func (g *sgfGame) take(v *sgfValue, moved bool) error {
	switch v.name {
	case "", "B", "W", "FF", "CA", "GM", "SZ":
		return nil
	case "AB":
		return g.setUp(v, game.First)
	case "AW":
		return g.setUp(v, game.Second)
	case "PL":
		if g.firstPlayer(v.raw) {
			return nil
		}
	case "AE":
		return errors.New("AE takes stones off the board: want games of moves")
	case "C":
		if unescape(v.raw, false) == "" {
			return nil
		}
	}
	for _, f := range g.tree.texts() {
		if f.property == v.name {
			*f.text = unescape(g.decode(v.raw), v.name != "GC")
			return nil
		}
	}
	if !moved && g.nodes > 1 && !g.made { // a node that is no move is made when something is said of it
		id, err := g.tree.Add(g.at, game.NoMove, game.First)
		if err != nil {
			return err
		}
		g.at, g.made = id, true
	}
	return g.remark(g.tree.Remark(g.at), v, moved)
}

// setUp adds stones of AB or AW: a point, or a rectangle of them.
func (g *sgfGame) setUp(v *sgfValue, side game.Side) error {
	points, ok := g.points(v.raw)
	stones := &g.tree.Setup[side]
	switch {
	case g.moved:
		return fmt.Errorf("%s after the first move: want set-up stones before it only", v.name)
	case !ok:
		return fmt.Errorf("%s[%s]: want a point such as hh, on the board of %dx%d", v.name, Excerpt(v.raw), g.tree.Size,
			g.tree.Size)
	case len(*stones)+len(points) > MaxDepth:
		return fmt.Errorf("more than %d moves", MaxDepth)
	}
	*stones = append(*stones, points...)
	return nil
}

// firstPlayer takes who makes the first move; false where it is said of another one, or
// unreadable.
func (g *sgfGame) firstPlayer(raw string) bool {
	if g.moved {
		return false
	}
	switch strings.ToLower(strings.Trim(raw, blanks)) {
	case "b", "black", "1":
		g.tree.First = game.First
	case "w", "white", "2":
		g.tree.First = game.Second
	default:
		return false
	}
	g.tree.Told = true
	return true
}

// remark takes what is said of a node. What has no place of its own is kept as it is.
func (g *sgfGame) remark(note *Note, v *sgfValue, moved bool) error {
	switch v.name {
	case "C":
		note.Comment = unescape(g.decode(v.raw), false)
		return nil
	case "V":
		n, err := strconv.ParseFloat(strings.Trim(v.raw, blanks), 64)
		if err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) {
			note.Value, note.Valued = n, true
			return nil
		}
		if moved {
			return fmt.Errorf("move %d: V[%s]: want a number", g.tree.ply(g.at), Excerpt(v.raw))
		}
	case "HO":
		note.Hot = 1
		if strings.Trim(v.raw, blanks) == "2" {
			note.Hot = 2
		}
		return nil
	case "LB":
		point, text, _ := strings.Cut(v.raw, ":")
		if m, err := g.point(point); err == nil && m != Pass && len(note.Labels) < MaxDepth {
			note.Labels = append(note.Labels, Label{At: m, Text: unescape(g.decode(text), true)})
			return nil
		}
	}
	for kind, name := range markNames {
		if v.name != name {
			continue
		}
		points, ok := g.points(v.raw)
		if !ok || len(note.Marks)+len(points) > MaxDepth {
			break
		}
		if g.marks += len(points); g.marks > cmp.Or(g.o.MaxMarks, maxSGFMarks) {
			return fmt.Errorf("%w: more than %d marks", ErrTooBig, cmp.Or(g.o.MaxMarks, maxSGFMarks))
		}
		for _, m := range points {
			note.Marks = append(note.Marks, Mark{At: m, Kind: MarkKind(kind)})
		}
		return nil
	}
	if !slices.Contains(sgfKnown, v.name) && len(g.list(v.raw)) > 0 {
		g.odd(fmt.Sprintf("%s[%s] holds points that are not read", v.name, Excerpt(v.raw)))
	}
	if last := len(note.Other) - 1; last >= 0 && note.Other[last].Name == v.name {
		note.Other[last].Values = append(note.Other[last].Values, g.decode(v.raw))
	} else {
		note.Other = append(note.Other, Property{v.name, []string{g.decode(v.raw)}})
	}
	return nil
}

// decode returns a value as UTF-8.
func (g *sgfGame) decode(raw string) string {
	if utf8.ValidString(raw) {
		return raw
	}
	return guess(g.charset, raw).decode(raw)
}

// ends are the ends of lines in a value, with a backslash where it makes them soft.
var ends = regexp.MustCompile(`(?s)\\?(\r\n|\n\r|\r|\n)|\\(.)`)

// unescape returns the text of a value: escapes undone, ends of lines as \n, or
// as spaces where simple.
func unescape(raw string, simple bool) string {
	if !strings.ContainsAny(raw, "\\\r\n") {
		return raw // most texts; the expression takes a hundred times as long
	}
	newline := "\n"
	if simple {
		newline = " "
	}
	return ends.ReplaceAllStringFunc(raw, func(found string) string {
		switch {
		case found[0] != '\\':
			return newline
		case strings.ContainsAny(found[1:2], "\r\n"):
			return ""
		}
		return found[1:]
	})
}
