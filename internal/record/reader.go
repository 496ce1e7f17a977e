package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/option"
)

// Format is a form of files.
type Format uint8

// The formats. PSQ and Lib are read alone.
const (
	Unknown Format = iota
	SGF
	Text
	PSQ
	Lib
)

// formatNames and extensions are the names of the formats and the usual extensions of files.
var (
	formatNames = [...]string{"", "sgf", "text", "psq", "lib"}
	extensions  = [...]string{"", ".sgf", ".txt", ".psq", ".lib"}
)

// FormatNames returns the names of the formats that are written.
func FormatNames() []string { return slices.Clone(formatNames[SGF:PSQ]) }

// String returns the format's name, "" for Unknown.
func (f Format) String() string { return formatNames[f] }

// Extension returns the usual extension of a file, ".sgf".
func (f Format) Extension() string { return extensions[f] }

// FormatOf returns the format that is written under a name, Unknown for another name.
func FormatOf(name string) Format {
	return Format(max(0, slices.Index(formatNames[:PSQ], strings.ToLower(name))))
}

// ByExtension returns the format that the name of a file says, Unknown if it says
// none.
func ByExtension(path string) Format {
	return Format(max(0, slices.Index(extensions[:], strings.ToLower(filepath.Ext(path)))))
}

// HeadBytes is how much of the beginning of a file tells its format.
const HeadBytes = 4096

// libMagic begins a library of RenLib, psqMagic a game of Piskvork.
var (
	libMagic = []byte("\xffRenLib\xff")
	psqMagic = []byte("Piskvorky ")
)

// Detect returns the format of a file by its first HeadBytes bytes, or all if it
// has fewer.
func Detect(head []byte) Format {
	if bytes.HasPrefix(head, libMagic) {
		return Lib
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case bytes.IndexByte(head, 0) >= 0 || !mostlyText(head):
		return Unknown
	case bytes.HasPrefix(text, psqMagic):
		return PSQ
	case bytes.HasPrefix(text, []byte("(")) || sgfGames.Match(text):
		return SGF
	}
	return Text
}

// mostlyText reports whether head is UTF-8, but for a rune that its end may
// cut, or for comments in another encoding.
func mostlyText(head []byte) bool {
	bad := 0
	for i := 0; i < len(head); {
		c, n := utf8.DecodeRune(head[i:])
		if c == utf8.RuneError && n == 1 || c < ' ' && c != '\t' && c != '\r' && c != '\n' {
			bad++
		}
		i += n
	}
	return bad <= len(head)/4
}

// Options say what a file leaves open.
type Options struct {
	// Size is the side length of the board of a record that names none; 0
	// is DefaultSize. Moves that are no cells have the size -1.
	Size int

	// Notation reads the moves of a text. nil: a column letter and a row number
	// from the bottom, on the board of Size.
	Notation game.Notation

	// MainLine passes over variations, unread, in the form that has them in
	// brackets, and takes the first child of each node in a library.
	MainLine bool

	// Charset names the encoding of texts that are no UTF-8, in files that name
	// none. "": windows-1252.
	Charset string

	// MaxGames, MaxNodes and MaxMarks bound what Parse takes of a file, which it reads no
	// further than to the first one too many. All are set, or none.
	MaxGames, MaxNodes, MaxMarks int
}

// tooMany returns the error for games and nodes beyond the bounds.
func (o *Options) tooMany() error {
	return fmt.Errorf("%w: want at most %d games and %d moves", ErrTooBig, o.MaxGames, o.MaxNodes)
}

// holds reports whether a tree that is being read is within the bounds.
func (o *Options) holds(t *Tree) bool { return o.MaxNodes == 0 || len(t.Nodes) <= o.MaxNodes }

// size returns the board of a record that names none.
func (o *Options) size() int {
	switch {
	case o.Size < 0:
		return 0
	case o.Size == 0:
		return DefaultSize
	}
	return o.Size
}

// Error is what is wrong in a file, and where: in a line, from 1, or where Line is
// 0 at a byte, from 0.
type Error struct {
	Line int
	Byte int64
	Err  error
}

// Error implements [error].
func (e *Error) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %v", e.Line, e.Err)
	}
	return fmt.Sprintf("byte %d: %v", e.Byte, e.Err)
}

// Unwrap returns what is wrong without the place.
func (e *Error) Unwrap() error { return e.Err }

// Reader hands out the games of one file. It belongs to one goroutine.
type Reader struct {
	next   func() (*Tree, error) // io.EOF after the last game
	o      Options
	failed error
}

// NewReader returns a reader of a file in a format, which Detect tells. It reads
// as far as it has to for each game, a library as a whole.
func NewReader(in io.Reader, f Format, o Options) (*Reader, error) {
	if o.Size > int(option.BoardSize.Max) {
		return nil, fmt.Errorf("a board of %d columns: want at most %d", o.Size, option.BoardSize.Max)
	}
	cs, err := lookupCharset(o.Charset)
	if err != nil {
		return nil, err
	}
	r := &Reader{o: o}
	switch f {
	case SGF:
		r.next = newSGF(in, &r.o, cs).next
	case PSQ:
		r.next = once(func() (*Tree, error) { return readPSQ(in, cs) })
	case Lib:
		r.next = once(func() (*Tree, error) { return readLib(in, &r.o, cs) })
	case Text:
		r.next = textGames(in, o)
	default:
		return nil, errors.New("want an SGF file, a .psq file of Piskvork, a .lib file of RenLib or a list of positions; " +
			"its bytes are none of these")
	}
	return r, nil
}

// once returns the next of a file of one game.
func once(read func() (*Tree, error)) func() (*Tree, error) {
	done := false
	return func() (*Tree, error) {
		if done {
			return nil, io.EOF
		}
		done = true
		return read()
	}
}

// Next returns the next game, and io.EOF after the last one. Any other error ends
// the reader for good and is an *Error, or one of the file that is read.
func (r *Reader) Next() (*Tree, error) {
	if r.failed != nil {
		return nil, r.failed
	}
	t, err := r.next()
	if err != nil {
		t, r.failed = nil, err
	}
	return t, err
}

// SetSize says anew which board the records have that name none and are still to
// come in an SGF file.
func (r *Reader) SetSize(size int) { r.o.Size = size }

// ErrEmpty is returned for a file without a game.
var ErrEmpty = errors.New("no games or positions in it")

// Parse returns all games of a file, at least one, and its format.
func Parse(data []byte, o Options) ([]*Tree, Format, error) {
	f := Detect(data[:min(len(data), HeadBytes)])
	r, err := NewReader(bytes.NewReader(data), f, o)
	if err != nil {
		return nil, f, err
	}
	var trees []*Tree
	nodes := 0
	for {
		t, err := r.Next()
		if errors.Is(err, io.EOF) && len(trees) > 0 {
			return trees, f, nil
		}
		if errors.Is(err, io.EOF) {
			err = ErrEmpty
		}
		if err != nil {
			return nil, f, err
		}
		if nodes += len(t.Nodes); nodes > MaxNodes {
			return nil, f, fmt.Errorf("%w: more than %d nodes", ErrTooBig, MaxNodes)
		}
		trees = append(trees, t)
		if o.MaxNodes > 0 && (nodes > o.MaxNodes || len(trees) > o.MaxGames) {
			return nil, f, o.tooMany()
		}
	}
}

// maxLine is the longest line of a list, in bytes.
const maxLine = 64 << 10

// textGames returns the next of a list of games, one a line: the moves, and before them, where
// games begin differently, the start and a colon. What follows a # is a comment; empty lines
// are passed over.
func textGames(in io.Reader, o Options) func() (*Tree, error) {
	lines, n := disk.NewLines(in, maxLine, math.MaxInt), o.Notation
	if n == nil {
		n = gomoku.Notation{Size: o.size()}
	}
	return func() (*Tree, error) {
		for line, ok := lines.Next(); ok; line, ok = lines.Next() {
			moves, _, _ := strings.Cut(line, "#")
			if moves = strings.TrimSpace(moves); moves == "" {
				continue
			}
			t := New(o.size())
			t.Line = lines.Number()
			if err := t.parse(moves, n); err != nil {
				return nil, &Error{Line: t.Line, Err: err}
			}
			return t, nil
		}
		if err := lines.Err(); err != nil {
			return nil, &Error{Line: lines.Number() + 1, Err: err}
		}
		return nil, io.EOF
	}
}

// An Opener is a notation of games that begin at positions in which either side may be to
// move.
type Opener interface {
	// Opens returns who makes the first move from the text of a start.
	Opens(start string) game.Side
}

// parse reads a game in the notation of its moves.
func (t *Tree) parse(text string, n game.Notation) error {
	start, rest, dealt := strings.Cut(text, ":")
	if t.Size > 0 {
		start, rest = "", text
	} else if !dealt {
		start, rest = text, ""
	}
	moves, err := n.ParseMoves(rest)
	if err != nil {
		return err
	}
	t.Start = strings.TrimSpace(start)
	if o, ok := n.(Opener); ok {
		t.First = o.Opens(t.Start)
	}
	_, err = t.Extend(0, t.ToMove(0), moves, nil)
	return err
}

// FormatLine returns the text of the moves on the way to a node.
func (t *Tree) FormatLine(id int32, n game.Notation) string {
	if n == nil {
		n = gomoku.Notation{Size: t.Size}
	}
	moves := n.FormatMoves(t.Moves(id))
	switch {
	case t.Start == "":
		return moves
	case moves == "":
		return t.Start
	}
	return t.Start + ":" + moves
}

// charset is the name of an encoding of texts, as people write it in files; "" is UTF-8.
type charset string

// western is the encoding of texts that say none and are no UTF-8.
const western charset = "windows-1252"

// LookupCharset returns an error unless a name is that of a known encoding, such as
// "utf-8", "windows-1252", "gbk", "big5", "shift_jis", "euc-kr" or "windows-1251".
func LookupCharset(name string) error {
	_, err := lookupCharset(name)
	return err
}

// lookupCharset returns the encoding of a name; "" is UTF-8.
func lookupCharset(name string) (charset, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" {
		return "", nil
	}
	canonical, ok := canonicalCharset(name)
	switch {
	case !ok:
		return "", fmt.Errorf("unknown charset %q: want one such as utf-8, windows-1252, gbk or shift_jis", Excerpt(name))
	case canonical == "utf-8":
		return "", nil
	case strings.HasPrefix(canonical, "utf-16"), canonical == "replacement":
		return "", fmt.Errorf("charset %q: want one that holds ASCII as it is, such as utf-8 or gbk", name)
	}
	return charset(canonical), nil
}

// decode returns a text as UTF-8.
func (c charset) decode(text string) string {
	if c != "" {
		if out, err := c.text(text); err == nil {
			return out
		}
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// guess returns the encoding of a text whose file names none: UTF-8 if it is that, or else
// the one asked for, or else the western one.
func guess(asked charset, text string) charset {
	if utf8.ValidString(text) {
		return ""
	}
	return cmp.Or(asked, western)
}
