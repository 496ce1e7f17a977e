package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// sgfFile hands out the games of a collection in the format SGF.
type sgfFile struct {
	in      *bufio.Reader
	o       *Options
	charset charset // of values that are no UTF-8; "": western
	line    int     // of the next byte, from 1
	at      int64
	marks   int // of the games so far
	games   int
}

// Bounds on what one property and one game may take, in bytes.
const (
	maxSGFName   = 64
	maxSGFValue  = 1 << 20
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
		f.in = bufio.NewReader(cs.reader(b))
	}
	return f
}

// mostlyValid reports whether head is UTF-8, but for a rune that its end may cut.
func mostlyValid(head []byte) bool {
	valid := utf8.Valid(head)
	for cut := 1; !valid && len(head) == HeadBytes && cut < utf8.UTFMax; cut++ {
		valid = utf8.Valid(head[:len(head)-cut])
	}
	return valid
}

func (f *sgfFile) next() (*Tree, error) {
	t := New(f.o.size())
	passed, err := f.seek()
	if err == io.EOF {
		return nil, err
	}
	t.Line = f.line
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
	for escaped := false; ; {
		c, err := g.byte()
		switch {
		case err == io.EOF:
			return fmt.Errorf("the file ends inside %s[: want a ]", name)
		case err != nil:
			return err
		case len(raw) == maxSGFValue:
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
	switch g.text += len(v.name) + len(v.raw); {
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
