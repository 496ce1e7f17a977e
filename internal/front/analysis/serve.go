package analysis

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// End is what becomes of open queries when the input ends.
type End uint8

// The ends.
const (
	Finish End = iota // they are answered
	Quit              // they are dropped
)

// ErrInterrupted is wrapped by the error of a [Serve] whose context ended before
// everything was answered.
var ErrInterrupted = errors.New("interrupted")

// Serve answers the lines of in on out with a service of its own until the input
// has ended, and then does what end says. The end of ctx drops open queries as
// Quit does, and is an error, with the number of turns that have no answer. Any
// other error is one of reading or writing.
//
// Serve joins its goroutines, with two exceptions: if ctx ends, or out fails, while
// in.Read blocks, the goroutine that reads ends with that Read; and if ctx ends
// while out.Write blocks for long, so does the one that writes.
func (s *Service) Serve(ctx context.Context, in io.Reader, out io.Writer, end End) error {
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	box := newOutbox(out, s.opts.Limits.Unread, cancel)
	c := s.Connect(box.send)
	ended, written := make(chan error, 1), make(chan error, 1)
	go func() { ended <- s.Run(working) }()
	go func() { written <- box.write() }()
	read := make(chan error, 1)
	go func() { read <- c.readFrom(working, in, s.opts.Limits.Line) }()
	var unread error
	select {
	case unread = <-read:
		if end == Finish {
			c.Wait()
		}
	case <-working.Done():
	}
	left := c.Unanswered()
	cancel()
	box.close(ctx.Err() != nil)
	failed, unwritten := <-ended, s.written(ctx, written)
	switch {
	case unwritten != nil:
		return unwritten
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %d positions were not answered: %w", ErrInterrupted, left, ctx.Err())
	case unread != nil:
		return unread
	}
	return failed
}

// lastLines is how long an interrupted service waits for its last lines to be
// written: nobody may be reading them any more.
const lastLines = time.Second

// written waits until everything is written.
func (s *Service) written(ctx context.Context, written <-chan error) error {
	if ctx.Err() == nil {
		return <-written
	}
	late := time.NewTimer(lastLines)
	defer late.Stop()
	select {
	case err := <-written:
		return err
	case <-late.C:
		return nil
	}
}

// readFrom handles lines until the end of the input or of ctx. What is beyond the
// length of a line is left out.
func (c *Client) readFrom(ctx context.Context, in io.Reader, most int) error {
	r := bufio.NewReader(in)
	for ctx.Err() == nil {
		line, whole, err := readLine(r, most)
		switch {
		case ctx.Err() != nil:
			return nil
		case !whole:
			c.problem(&Problem{Code: TooBig, Error: fmt.Sprintf("a line of more than %d bytes: nothing of it is done", most)})
		default:
			c.Handle(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readLine returns the next line without its end, which may be missing at the end
// of the input; whole is false, and nothing kept, if it has more than most bytes.
func readLine(r *bufio.Reader, most int) (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := r.ReadSlice('\n')
		if whole && len(line)+len(bytes.TrimRight(part, "\r\n")) > most {
			line, whole = nil, false
		}
		if whole {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}
