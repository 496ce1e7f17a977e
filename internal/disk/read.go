// Package disk keeps what is written whole and what is read within limits: files that
// appear complete or not at all, locks between processes, journals of JSON lines, and
// readers that refuse pipes, folders and what is too large. Its errors are one line;
// readers leave the path to their callers, who name it as the user did.
package disk

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrTooLarge is wrapped by the error for a file or text beyond its limit.
var ErrTooLarge = errors.New("too large")

// Open opens a regular file for reading. A file that grows, or whose size the system does not
// know, gives more bytes than its size: readers limit what they read.
func Open(path string) (*os.File, error) {
	// A pipe without a writer blocks in Open, so the kind is looked at first.
	info, err := os.Stat(path)
	if err != nil {
		return nil, Cause(err)
	}
	if err := regular(info.Mode()); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, Cause(err)
	}
	return f, nil
}

// ReadFile returns the content of a regular file of at most that many bytes.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, Cause(err)
	}
	if info.Size() > most {
		return nil, tooLarge(most)
	}
	return read(f, info.Size(), most)
}

// ReadAll returns all that r has, at most that many bytes.
func ReadAll(r io.Reader, most int64) ([]byte, error) { return read(r, 0, most) }

// read expects size bytes and reads at most most.
func read(r io.Reader, size, most int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(size) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(r, most+1)); err != nil {
		return nil, Cause(err)
	}
	if int64(b.Len()) > most {
		return nil, tooLarge(most)
	}
	return b.Bytes(), nil
}

// mark is the byte-order mark with which some programs begin texts in UTF-8.
const mark = "\ufeff"

// Text returns what follows the byte-order mark, if r begins with one. Whatever reads a text
// opens it so, or by ReadText or NewLines.
func Text(r io.Reader) io.Reader { return &text{in: bufio.NewReader(r)} }

type text struct {
	in    *bufio.Reader
	begun bool
}

// Read implements io.Reader.
func (t *text) Read(p []byte) (int, error) {
	if !t.begun {
		t.begun = true
		if head, _ := t.in.Peek(len(mark)); string(head) == mark { // an error shows up below
			_, _ = t.in.Discard(len(mark))
		}
	}
	return t.in.Read(p)
}

// ReadText is ReadFile for a text, which it returns without a byte-order mark.
func ReadText(path string, most int64) ([]byte, error) {
	data, err := ReadFile(path, most)
	return bytes.TrimPrefix(data, []byte(mark)), err
}

// Limit returns a reader of r that fails after that many bytes.
func Limit(r io.Reader, most int64) io.Reader { return &limited{r: r, left: most, most: most} }

type limited struct {
	r          io.Reader
	left, most int64
}

// Read implements [io.Reader].
func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, tooLarge(l.most)
	}
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.r.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return n + int(l.left), tooLarge(l.most)
	}
	return n, err
}

// regular returns an error unless the file is a regular one.
func regular(mode fs.FileMode) error {
	what := "a device"
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		what = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		what = "a pipe"
	case mode&fs.ModeSocket != 0:
		what = "a socket"
	}
	return fmt.Errorf("it is %s, want a file", what)
}

func tooLarge(most int64) error {
	return fmt.Errorf("%w: want at most %s", ErrTooLarge, FormatSize(most))
}

// Cause returns an error of a file without the operation and the path, which the
// caller names in its own words.
func Cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// About returns err with what was being read before it, unless it is about a file that it
// names itself, such as one that could not be written.
func About(source string, err error) error {
	var path *fs.PathError
	switch {
	case !errors.As(err, &path):
		return fmt.Errorf("%s: %w", source, err)
	case path.Path == source:
		return fmt.Errorf("%s: %w", source, path.Err)
	}
	return path
}

// FormatSize writes a number of bytes with the largest unit that leaves no more than
// one decimal: "64 KiB", "1.5 GiB".
func FormatSize(bytes int64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	n, unit := float64(bytes), 0
	for n >= 1024 && unit < len(units)-1 {
		n /= 1024
		unit++
	}
	if n == float64(int64(n)) {
		return fmt.Sprintf("%d %s", int64(n), units[unit])
	}
	return fmt.Sprintf("%.1f %s", n, units[unit])
}

// Lines hands out the lines of a text one after the other and holds one of them
// at a time.
type Lines struct {
	scanner    *bufio.Scanner
	line, most int // longest line and most lines
	number     int
	err        error
}

// NewLines returns the lines of r: at most that many, each of at most length
// bytes.
func NewLines(r io.Reader, length, most int) *Lines {
	l := &Lines{scanner: bufio.NewScanner(Text(r)), line: length, most: most}
	l.scanner.Buffer(nil, length+len("\r\n"))
	return l
}

// Next returns the next line, without its end; false after the last one and
// after an error, for which see Err.
func (l *Lines) Next() (string, bool) {
	if l.err != nil || !l.scanner.Scan() {
		return "", false
	}
	switch {
	case l.number == l.most:
		l.err = fmt.Errorf("%w: want at most %d lines", ErrTooLarge, l.most)
		return "", false
	case len(l.scanner.Bytes()) > l.line:
		l.err = l.tooLong()
		return "", false
	}
	l.number++
	return l.scanner.Text(), true
}

// Number returns the number of the line that Next returned last, from 1. After
// an error it is that of the line before the one at fault.
func (l *Lines) Number() int { return l.number }

// Err returns what ended the text before its end, nil if nothing did.
func (l *Lines) Err() error {
	if l.err != nil {
		return l.err
	}
	err := l.scanner.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		return l.tooLong()
	}
	return Cause(err)
}

func (l *Lines) tooLong() error {
	return fmt.Errorf("%w: the line has more than %d bytes", ErrTooLarge, l.line)
}
