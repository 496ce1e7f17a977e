package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
)

// longestLine bounds a line that a person types, in bytes.
const longestLine = 4096

// lines reads lines; an interrupt need not wait for one.
type lines struct {
	lines chan string
	errs  chan error
}

func newLines(ctx context.Context, r io.Reader) *lines {
	l := &lines{lines: make(chan string), errs: make(chan error, 1)}
	go func() {
		scanner := bufio.NewScanner(r)
		scanner.Buffer(nil, longestLine)
		number := 1
		for ; scanner.Scan(); number++ {
			select {
			case l.lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
		if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
			l.errs <- fmt.Errorf("standard input: line %d is longer than %d bytes", number, longestLine)
			return
		} else if err != nil {
			l.errs <- fmt.Errorf("standard input: %w", err)
			return
		}
		l.errs <- io.EOF
	}()
	return l
}

// next returns the next line, or the error of ctx once it has ended, even if a line is
// there.
func (l *lines) next(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case err := <-l.errs:
		return "", err
	case line := <-l.lines:
		return line, nil
	}
}
