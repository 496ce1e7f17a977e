package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/carozero/carozero/game"
	"golang.org/x/text/transform"
)

// sgfFile hands out the games of a collection in the format SGF.
type sgfFile struct {
	lex     sgfLexer
	o       *Options
	charset *charset // of values that are no UTF-8; nil: western
	decoded string   // the encoding from which the whole file is decoded, or ""
	marks   int      // of the games so far
	more    int      // bytes in memory that games so far took beyond maxSGFTimes their own
}

// charsetProperty finds the encoding that a file names.
var charsetProperty = regexp.MustCompile(`\bCA\s*\[\s*([^\]\s]{1,40})\s*\]`)

// newSGF returns a source. A file that names its encoding is decoded as a whole,
// since in some encodings a bracket can be half of a letter.
func newSGF(in io.Reader, o *Options, asked *charset) *sgfFile {
	b := buffered(in)
	f := &sgfFile{o: o, charset: asked}
	head, _ := b.Peek(HeadBytes) // what cannot be read shows up below
	cs := asked
	if found := charsetProperty.FindSubmatch(head); found != nil {
		named, err := lookupCharset(string(found[1]))
		if err == nil {
			cs = named
		}
	} else if mostlyValid(head) {
		cs = nil
	}
	if cs != nil {
		f.decoded = cs.name
		b = bufio.NewReader(transform.NewReader(b, cs.enc.NewDecoder()))
	}
	f.lex = sgfLexer{in: b, line: 1}
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
	if err := f.lex.seek(); errors.Is(err, io.EOF) {
		return nil, io.EOF
	} else if err != nil {
		return nil, f.wrap(err)
	}
	t := New(f.o.size())
	t.Line, t.Byte, t.Charset = f.lex.line, f.lex.at-1, f.decoded
	b := sgfBuilder{tree: t, o: f.o, charset: f.charset, marks: f.marks, more: f.more}
	if err := f.lex.tree(&b); err != nil {
		return nil, f.wrap(err)
	}
	f.marks, f.more = b.marks, max(f.more, b.taken())
	if err := b.finish(); err != nil {
		return nil, &Error{Line: t.Line, Byte: t.Byte, Err: err}
	}
	return t, nil
}

func (f *sgfFile) wrap(err error) error {
	var at *Error
	if errors.As(err, &at) {
		return err
	}
	return &Error{Line: f.lex.line, Byte: f.lex.at, Err: err}
}

// sgfBuilder makes a tree of what the lexer finds.
type sgfBuilder struct {
	tree    *Tree
	o       *Options
	charset *charset
	pending []sgfValue // of the node that is read
	begun   bool       // a node is being read
	root    bool       // it is the first one
	nodes   int
	at      int32   // the node after which the next one comes
	branch  []int32 // what at was at the brackets that are open
	side    bool    // past the main line, where nothing else is wanted
	text    int     // bytes that are kept of the game
	marks   int     // of the file
	more    int     // bytes in memory beyond maxSGFTimes those read, without those of nodes
	moved   bool    // the game has moves
	made    bool    // the node that is read is in the tree though it is no move
	kind    string
	size    string
}

// sgfValue is one value of a property, as it is in the file.
type sgfValue struct {
	line int
	name string
	raw  string
}

// maxBrackets bounds how deep variations nest.
const maxBrackets = 1 << 16

func (b *sgfBuilder) skip() bool { return b.side }

func (b *sgfBuilder) open() error {
	if b.side {
		return nil
	}
	if err := b.flush(); err != nil {
		return err
	}
	if b.o.MainLine {
		return nil
	}
	if len(b.branch) == maxBrackets {
		return fmt.Errorf("%w: variations nest more than %d deep", ErrTooBig, maxBrackets)
	}
	b.branch = append(b.branch, b.at)
	return nil
}

func (b *sgfBuilder) close() error {
	if b.side {
		return nil
	}
	if err := b.flush(); err != nil {
		return err
	}
	if b.o.MainLine {
		b.side = true
	} else if n := len(b.branch); n > 0 {
		b.at, b.branch = b.branch[n-1], b.branch[:n-1]
	}
	return nil
}

func (b *sgfBuilder) node() error {
	if b.side {
		return nil
	}
	if err := b.flush(); err != nil {
		return err
	}
	b.begun, b.root = true, b.nodes == 0
	b.nodes++
	b.more -= maxSGFTimes * len(";")
	return nil
}

func (b *sgfBuilder) property(line int, name string, raw []byte) error {
	switch name {
	case "": // small letters alone name nothing
		return nil
	case "GM", "SZ", "RU", "RE", "B", "W", "V", "AB", "AW", "PL":
		if len(raw) > maxSGFShort {
			return fmt.Errorf("%s[%s] has %d bytes, want at most %d", name, Excerpt(string(raw)), len(raw), maxSGFShort)
		}
	}
	if b.text += len(raw) + len(name); b.text > maxSGFText {
		return fmt.Errorf("%w: a game of more than %d bytes", ErrTooBig, maxSGFText)
	}
	n := len(b.pending)
	if n == maxSGFValues {
		return fmt.Errorf("%w: a node of more than %d values", ErrTooBig, maxSGFValues)
	}
	read := len(raw) + len("[]")
	if n == 0 || b.pending[n-1].name != name {
		read += len(name)
	}
	b.more += len(raw) - maxSGFTimes*read
	b.pending = append(b.pending, sgfValue{line, name, string(raw)})
	return nil
}

// maxSGFShort is more than a point, a number or a name needs, in bytes.
const maxSGFShort = 256

// flush makes a node of the values that were read of it.
func (b *sgfBuilder) flush() error {
	if !b.begun {
		return nil
	}
	b.begun, b.made = false, false
	moved := false
	for i := range b.pending {
		v := &b.pending[i]
		side, move := game.First, true
		switch v.name {
		case "B":
		case "W":
			side = game.Second
		default:
			move = false
		}
		if !move {
			continue
		}
		m, ok := parsePoint(v.raw)
		if !ok {
			return &Error{Line: v.line, Err: fmt.Errorf("move %d: %w", b.tree.ply(b.at)+1, offBoard(v.raw, b.tree.Size))}
		}
		id, err := b.tree.Add(b.at, m, side)
		if err != nil {
			return err
		}
		b.at, b.moved, moved = id, true, true
	}
	for i := range b.pending {
		if err := b.take(&b.pending[i], moved); err != nil {
			return &Error{Line: b.pending[i].line, Err: err}
		}
	}
	b.pending = b.pending[:0]
	if b.taken() > maxSGFMore {
		return fmt.Errorf("%w: its marks and values take more memory than %d times the bytes of its games and %d MiB", ErrTooBig, maxSGFTimes, maxSGFMore>>20)
	}
	if !b.o.holds(b.tree) {
		return b.o.tooMany()
	}
	return nil
}

// taken returns how many bytes the games so far take in memory beyond maxSGFTimes their own.
func (b *sgfBuilder) taken() int {
	return b.more + sgfNode*len(b.tree.Nodes) + sgfNote*len(b.tree.notes)
}

// decode returns a value as UTF-8.
func (b *sgfBuilder) decode(raw string) string {
	if utf8.ValidString(raw) {
		return raw
	}
	c := guess(b.charset, []byte(raw))
	b.tree.Charset = c.charsetName()
	return c.decode([]byte(raw))
}

// unescape returns the text of a value: escapes undone, ends of lines as \n, or
// as spaces where simple.
func unescape(raw string, simple bool) string {
	if !strings.ContainsAny(raw, "\\\r\n") {
		return raw
	}
	var b bytes.Buffer
	newline := "\n"
	if simple {
		newline = " "
	}
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		soft := c == '\\' && i+1 < len(raw)
		if soft {
			i++
			c = raw[i]
		}
		if c != '\r' && c != '\n' {
			b.WriteByte(c)
			continue
		}
		if i+1 < len(raw) && (raw[i+1] == '\r' || raw[i+1] == '\n') && raw[i+1] != c {
			i++
		}
		if !soft {
			b.WriteString(newline)
		}
	}
	return b.String()
}

// sgfLexer splits a collection into games and these into properties. It keeps one
// value in memory and needs no stack however deep trees nest.
type sgfLexer struct {
	in    *bufio.Reader
	line  int // of the next byte, from 1
	at    int64
	name  []byte
	value []byte
}

// Bounds on what one property and one game may take, in bytes.
const (
	maxSGFName  = 64
	maxSGFValue = 1 << 20
	maxSGFText  = 64 << 20
)

// Bounds on what a file may take in memory, where an empty value and a rectangle of marks are
// many times as large as in the file: maxSGFTimes the bytes of its games, and maxSGFMore.
const (
	maxSGFValues = 1 << 16 // of a node
	maxSGFTimes  = 24
	maxSGFMore   = 32 << 20

	// What is counted for each, in bytes.
	sgfNode  = 28
	sgfNote  = 120
	sgfKept  = 64 // a value of a note
	sgfPoint = 4  // of a mark
)

// sgfEvents takes what the lexer finds in a game. skip says that values up to the
// next bracket are not wanted.
type sgfEvents interface {
	open() error  // (
	close() error // )
	node() error  // ;
	property(line int, name string, raw []byte) error
	skip() bool
}

var errCutSGF = errors.New("the file ends inside a game: want a ) at its end")

func (x *sgfLexer) byte() (byte, error) {
	c, err := x.in.ReadByte()
	if err != nil {
		return c, err
	}
	if c == '\n' {
		x.line++
	}
	x.at++
	return c, nil
}

// seek goes to the ( of the next game and past it; io.EOF if there is none.
func (x *sgfLexer) seek() error {
	for {
		switch c, err := x.byte(); {
		case err != nil:
			return err
		case c == '(':
			return nil
		case c > ' ' && c < 0x7f:
			return fmt.Errorf("%q between games: want a (", c)
		}
	}
}

// tree reads a game up to its closing parenthesis.
func (x *sgfLexer) tree(take sgfEvents) error {
	depth, nodes := 1, 0
	x.name = x.name[:0]
	for fresh := true; depth > 0; {
		c, err := x.byte()
		switch {
		case errors.Is(err, io.EOF):
			return errCutSGF
		case err != nil:
			return err
		case c == '(':
			depth++
			err = take.open()
		case c == ')':
			depth--
			err = take.close()
		case c == ';':
			nodes++
			x.name, fresh = x.name[:0], true
			err = take.node()
		case c == '[':
			err = x.read(nodes, take)
			fresh = true
		case isLetter(c):
			if fresh {
				x.name, fresh = x.name[:0], false
			}
			if x.name = append(x.name, c); len(x.name) > maxSGFName {
				return fmt.Errorf("the property %q... has a name of more than %d letters", x.name[:8], maxSGFName)
			}
		case c > ' ':
			return fmt.Errorf("%q in a game: want a property, ; ( or )", c)
		}
		if err != nil {
			return err
		}
	}
	if nodes == 0 {
		return errors.New("a game without a node: want a ; after its (")
	}
	return nil
}

// read reads a value after its opening bracket.
func (x *sgfLexer) read(nodes int, take sgfEvents) error {
	if len(x.name) == 0 || nodes == 0 {
		return errors.New("a value without a property: want one such as B[hh], after a ;")
	}
	x.value = x.value[:0]
	keep, line := !take.skip(), x.line
	for length := 0; ; length++ {
		c, err := x.byte()
		if c == ']' && err == nil {
			break
		}
		if c == '\\' && err == nil {
			if keep {
				x.value = append(x.value, c)
			}
			c, err = x.byte()
		}
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the file ends inside %s[: want a ]", x.name)
		}
		if err != nil {
			return err
		}
		if length == maxSGFValue {
			return fmt.Errorf("%s[ has more than %d bytes", x.name, maxSGFValue)
		}
		if keep {
			x.value = append(x.value, c)
		}
	}
	if !keep {
		return nil
	}
	return take.property(line, capitals(x.name), x.value)
}

func isLetter(c byte) bool { return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' }

// capitals returns the capital letters of a name: version 3 lets "Black"
// stand for "B".
func capitals(name []byte) string {
	short := make([]byte, 0, 2)
	for _, c := range name {
		if c < 'a' {
			short = append(short, c)
		}
	}
	return string(short)
}
