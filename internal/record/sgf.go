package record

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/carozero/carozero/game"
	"golang.org/x/text/transform"
)

// sgfFile hands out the games of a collection in the format SGF.
type sgfFile struct {
	in      *bufio.Reader
	o       *Options
	charset charset // of values that are no UTF-8; "": western
	decoded string  // the encoding from which the whole file is decoded, or ""
	line    int     // of the next byte, from 1
	at      int64
	marks   int // of the games so far
	games   int
}

// Bounds on what one property and one game may take, in bytes.
const (
	maxSGFName   = 64
	maxSGFValue  = 1 << 20
	maxSGFShort  = 256     // more than a point, a number or a name needs
	maxSGFValues = 1 << 16 // of a node
	maxSGFText   = 64 << 20
	maxSGFMarks  = 1 << 22 // of a file, in which a few bytes can name a rectangle of them
	maxBrackets  = 1 << 16 // how deep variations nest
	maxOdd       = 10      // notes of a game
)

// blanks may stand around a value; a space of another encoding is part of it.
const blanks = " \t\r\n"

// charsetProperty finds the encoding that a file names.
var charsetProperty = regexp.MustCompile(`\bCA\s*\[\s*([^\]\s]{1,40})\s*\]`)

// newSGF returns a source. A file that names its encoding is decoded as a whole,
// since in some encodings a bracket can be half of a letter.
func newSGF(in io.Reader, o *Options, asked charset) *sgfFile {
	b := bufio.NewReaderSize(in, 1<<16)
	f := &sgfFile{in: b, o: o, charset: asked, line: 1}
	head, _ := b.Peek(HeadBytes) // what cannot be read shows up below
	cs := asked
	if found := charsetProperty.FindSubmatch(head); found != nil {
		if named, err := lookupCharset(string(found[1])); err == nil {
			cs = named
		}
	} else if mostlyValid(head) {
		cs = ""
	}
	if cs != "" {
		f.decoded = string(cs)
		f.in = bufio.NewReader(transform.NewReader(b, cs.encoding().NewDecoder()))
	}
	return f
}

// mostlyValid reports whether head is UTF-8, but for a rune that its end may cut.
func mostlyValid(head []byte) bool {
	if len(head) == HeadBytes {
		last := len(head) - 1
		for last > len(head)-utf8.UTFMax && !utf8.RuneStart(head[last]) {
			last--
		}
		if !utf8.FullRune(head[last:]) {
			head = head[:last]
		}
	}
	return utf8.Valid(head)
}

func (f *sgfFile) next() (*Tree, error) {
	t := New(f.o.size())
	t.Charset = f.decoded
	passed, err := f.seek()
	if err == io.EOF {
		return nil, err
	}
	t.Line, t.Byte = f.line, f.at-1
	if passed && f.games == 0 {
		t.Odd = append(t.Odd, "text before the game is passed over")
	}
	f.games++
	if err == nil {
		err = (&sgfGame{sgfFile: f, tree: t}).read()
	}
	if err == nil && !f.follows(regexp.MustCompile(`^\s*(\(|$)`)) {
		t.Odd = append(t.Odd, "text after the game is passed over")
	}
	var at *Error
	if err != nil && !errors.As(err, &at) {
		err = &Error{Line: f.line, Byte: f.at, Err: err}
	}
	return t, err
}

func (f *sgfFile) byte() (byte, error) {
	c, err := f.in.ReadByte()
	if err != nil {
		return c, err
	}
	if c == '\n' {
		f.line++
	}
	f.at++
	return c, nil
}

// seek goes past the ( of the next game, and reports whether there is text before it;
// io.EOF if there is no game.
func (f *sgfFile) seek() (passed bool, err error) {
	for {
		switch c, err := f.byte(); {
		case err != nil:
			return passed, err
		case c == '(' && f.follows(sgfBegins):
			return passed, nil
		case c > ' ' && c < 0x7f:
			passed = true
		}
	}
}

// follows reports whether what is read next has a form.
func (f *sgfFile) follows(form *regexp.Regexp) bool {
	head, _ := f.in.Peek(2 * maxSGFName)
	return form.Match(head)
}

var (
	// sgfBegins follows the ( of a game: a node, or a property without the ; before it.
	sgfBegins = regexp.MustCompile(`^[\s(]*(;|[A-Z]{1,2}\s*\[)`)

	// sgfGames is found in a text that holds games.
	sgfGames = regexp.MustCompile(`\(\s*(;|[A-Z]{1,2}\s*\[)`)

	// sgfProperty begins a game whose first ; is missing.
	sgfProperty = regexp.MustCompile(`^\s*[A-Za-z]{1,2}\s*\[`)

	// valueEnds follows the ] of a value.
	valueEnds = regexp.MustCompile(`^\s*([\[;()]|[A-Za-z0-9]+\s*\[|[A-Za-z0-9]*\s*$)`)
)

// sgfGame reads a game. It keeps one node in memory beside the tree, and needs no stack
// however deep variations nest.
type sgfGame struct {
	*sgfFile
	tree   *Tree
	values []sgfValue // of the node that is read
	begun  bool       // a node is being read
	nodes  int        // that were begun
	at     int32      // the node after which the next one comes
	branch []int32    // what at was at the brackets that are open
	beside bool       // past the main line, where nothing else is wanted
	text   int        // bytes that are kept of the game
	moved  bool       // the game has moves
	made   bool       // the node that is read is in the tree though it is no move
}

// sgfValue is one value of a property, as it is in the file.
type sgfValue struct {
	line int
	name string
	raw  string
}

// read reads the game up to its closing parenthesis.
func (g *sgfGame) read() error {
	var name []byte
	fresh := true // the next letter begins a name
	if g.follows(sgfProperty) {
		g.odd("the first ; is missing")
		g.begun, g.nodes = true, 1
	}
	for depth := 1; depth > 0; {
		c, err := g.byte()
		switch {
		case err == io.EOF && g.nodes > 0:
			g.odd("the last ) is missing")
			err, depth = g.node(), 0
		case err == io.EOF:
			return errors.New("the file ends inside a game: want a ; after its (")
		case err != nil:
		case c == '(' || c == ')' || c == ';':
			name = name[:0]
			if err = g.node(); err == nil {
				err = g.bracket(c, &depth)
			}
		case c == '[':
			err, fresh = g.value(name), true
		case 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			if fresh {
				name, fresh = name[:0], false
			}
			if name = append(name, c); len(name) > maxSGFName {
				return fmt.Errorf("the property %q... has a name of more than %d letters", name[:8], maxSGFName)
			}
		case c > ' ':
			return fmt.Errorf("%q in a game: want a property, ; ( or )", c)
		}
		if err != nil {
			return err
		}
	}
	if g.nodes == 0 {
		return errors.New("a game without a node: want a ; after its (")
	}
	g.settleFirst()
	return nil
}

// odd notes what is not as it should be, once.
func (g *sgfGame) odd(text string) {
	if !slices.Contains(g.tree.Odd, text) && len(g.tree.Odd) < maxOdd {
		g.tree.Odd = append(g.tree.Odd, text)
	}
}

// bracket begins or ends a variation, or begins a node.
func (g *sgfGame) bracket(c byte, depth *int) error {
	switch c {
	case ';':
		g.begun, g.nodes = !g.beside, g.nodes+1
	case '(':
		if *depth++; len(g.branch) == maxBrackets {
			return fmt.Errorf("%w: variations nest more than %d deep", ErrTooBig, maxBrackets)
		}
		if !g.o.MainLine {
			g.branch = append(g.branch, g.at)
		}
	case ')':
		*depth--
		g.beside = g.o.MainLine
		if n := len(g.branch); n > 0 {
			g.at, g.branch = g.branch[n-1], g.branch[:n-1]
		}
	}
	return nil
}

// value reads a value of the property of a name after its opening bracket.
func (g *sgfGame) value(name []byte) error {
	if len(name) == 0 || g.nodes == 0 {
		return errors.New("a value without a property: want one such as B[hh], after a ;")
	}
	var raw []byte
	line := g.line
	for length, escaped := 0, false; ; length++ {
		c, err := g.byte()
		switch {
		case err == io.EOF:
			return fmt.Errorf("the file ends inside %s[: want a ]", name)
		case err != nil:
			return err
		case length == 2*maxSGFValue:
			return fmt.Errorf("%s[ has more than %d bytes", name, maxSGFValue)
		case c == ']' && !escaped && g.follows(valueEnds):
			return g.keep(sgfValue{line, g.property(name), string(raw)})
		case c == ']' && !escaped && !g.beside:
			g.odd(fmt.Sprintf(`a ] in %s[ has no \ before it`, name))
			raw = append(raw, '\\')
		}
		escaped = c == '\\' && !escaped
		if !g.beside {
			raw = append(raw, c)
		}
	}
}

// keep keeps a value of the node that is read.
func (g *sgfGame) keep(v sgfValue) error {
	if g.beside || v.name == "" { // small letters alone name nothing
		return nil
	}
	switch v.name {
	case "GM", "SZ", "RU", "RE", "B", "W", "V", "AB", "AW", "PL":
		if len(v.raw) > maxSGFShort {
			return fmt.Errorf("%s[%s] has %d bytes, want at most %d", v.name, Excerpt(v.raw), len(v.raw), maxSGFShort)
		}
	}
	g.text += len(v.name) + len(v.raw)
	switch {
	case len(v.raw) > maxSGFValue:
		return fmt.Errorf("%s[ has more than %d bytes", v.name, maxSGFValue)
	case g.text > maxSGFText:
		return fmt.Errorf("%w: a game of more than %d bytes", ErrTooBig, maxSGFText)
	case len(g.values) == maxSGFValues:
		return fmt.Errorf("%w: a node of more than %d values", ErrTooBig, maxSGFValues)
	}
	g.values = append(g.values, v)
	return nil
}

// property returns the name of a property: its capital letters, since version 3 lets
// "Black" stand for "B", or all of one or two small ones.
func (g *sgfGame) property(name []byte) string {
	short := strings.Map(func(r rune) rune {
		if r >= 'a' {
			return -1
		}
		return r
	}, string(name))
	if short == "" && len(name) <= 2 {
		g.odd("properties are in small letters")
		return strings.ToUpper(string(name))
	}
	return short
}

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
	c := guess(g.charset, raw)
	g.tree.Charset = string(c)
	return c.decode(raw)
}

// ends are the ends of lines in a value, with a backslash where it makes them soft.
var ends = regexp.MustCompile(`(?s)\\?(\r\n|\n\r|\r|\n)|\\(.)`)

// unescape returns the text of a value: escapes undone, ends of lines as \n, or
// as spaces where simple.
func unescape(raw string, simple bool) string {
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
