package limitio

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

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
	l := &Lines{scanner: bufio.NewScanner(r), line: length, most: most}
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
