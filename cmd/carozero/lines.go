package main

import (
	"bufio"
	"context"
	"io"
)

// lines reads lines without keeping an interrupt waiting.
type lines struct {
	lines chan string
	errs  chan error
}

func newLines(ctx context.Context, r io.Reader) *lines {
	l := &lines{lines: make(chan string), errs: make(chan error, 1)}
	go func() {
		scanner := bufio.NewScanner(r)
		for scanner.Scan() {
			select {
			case l.lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
		if err := scanner.Err(); err != nil {
			l.errs <- err
			return
		}
		l.errs <- io.EOF
	}()
	return l
}

func (l *lines) next(ctx context.Context) (string, error) {
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case err := <-l.errs:
		return "", err
	case line := <-l.lines:
		return line, nil
	}
}
