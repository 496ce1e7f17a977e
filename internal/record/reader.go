package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/carozero/carozero/game"
)

// Options say what a file leaves open.
type Options struct {
	// Size is the side length of the board of a record that names none, at most 26; 0
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
	games  source
	o      Options
	failed error
}

// source is a file in one of the formats. next returns io.EOF after the last game.
type source interface {
	next() (*Tree, error)
}

// NewReader returns a reader of a file in a format, which Detect tells. It reads
// as far as it has to for each game, a library as a whole.
func NewReader(in io.Reader, f Format, o Options) (*Reader, error) {
	if o.Size > maxSize {
		return nil, fmt.Errorf("a board of %d columns: want at most %d", o.Size, maxSize)
	}
	cs, err := lookupCharset(o.Charset)
	if err != nil {
		return nil, err
	}
	r := &Reader{o: o}
	switch f {
	case SGF:
		r.games = newSGF(in, &r.o, cs)
		return r, nil
	case PSQ:
		r.games = &psqFile{in: in, charset: cs}
		return r, nil
	case Lib:
		r.games = &libFile{in: in, o: &r.o, charset: cs}
		return r, nil
	case Text:
		r.games = newText(in, o)
		return r, nil
	}
	return nil, errors.New("want an SGF file, a .psq file of Piskvork, a .lib file of RenLib or a list of positions; its bytes are none of these")
}

// Next returns the next game, and io.EOF after the last one. Any other error ends
// the reader for good and is an *Error, or one of the file that is read.
func (r *Reader) Next() (*Tree, error) {
	if r.failed != nil {
		return nil, r.failed
	}
	t, err := r.games.next()
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

// Parse returns all games of a file, at least one, and its format. The name, which
// may be "", is that of the file.
func Parse(data []byte, name string, o Options) ([]*Tree, Format, error) {
	f := Detect(data[:min(len(data), HeadBytes)], name)
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

// buffered returns in with a buffer, itself if it has one.
func buffered(in io.Reader) *bufio.Reader {
	if b, ok := in.(*bufio.Reader); ok {
		return b
	}
	return bufio.NewReaderSize(in, 1<<16)
}
