package analysis

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/carozero/carozero/internal/disk"
)

// End is what becomes of open queries when the input ends.
type End uint8

// The ends.
const (
	Finish End = iota // they are answered
	Quit              // they are dropped
)

// ErrInterrupted is wrapped by the error of a [Service.Serve] whose context ended before
// everything was answered.
var ErrInterrupted = errors.New("interrupted")

// lastLines is how long an interrupted service waits for its last lines to be
// written: nobody may be reading them any more.
const lastLines = time.Second

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
	box := NewOutbox(s.opts.Limits.Unread, true)
	c := s.Connect(box.Send)
	ran, written, read := make(chan error, 1), make(chan error, 1), make(chan error, 1)
	go func() { ran <- s.Run(working) }()
	go func() {
		err := box.writeTo(out)
		if err != nil {
			cancel()
		}
		written <- err
	}()
	go func() { read <- c.readFrom(working, in) }()
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
	box.Close(ctx.Err() != nil)
	failed := <-ran
	var late <-chan time.Time
	if ctx.Err() != nil {
		late = time.After(lastLines)
	}
	select {
	case err := <-written:
		if err != nil {
			return err
		}
	case <-late:
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %d positions were not answered: %w", ErrInterrupted, left, ctx.Err())
	}
	return errors.Join(unread, failed)
}

// readFrom handles lines until the end of the input or of ctx. What is beyond the
// length of a line is left out.
func (c *Client) readFrom(ctx context.Context, in io.Reader) error {
	r, most := bufio.NewReader(disk.Text(in)), c.service.opts.Limits.Line
	for ctx.Err() == nil {
		line, whole, err := readLine(r, most)
		switch {
		case ctx.Err() != nil:
			return nil
		case !whole:
			text := fmt.Sprintf("a line of more than %d bytes: nothing of it is done", most)
			c.send(&Problem{Code: TooBig, Error: text}, false)
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

// Outbox holds the messages to a peer until they are written, in the order in which they
// come. It drops answers on the way to a final one long before it is full.
type Outbox struct {
	most  int  // bytes
	waits bool // who sends waits for room; otherwise a message that does not fit ends the outbox

	mu    sync.Mutex
	moved *sync.Cond // a message came or went, or the outbox ended
	lines [][]byte
	bytes int
	end   error // after it nothing is taken in; io.EOF or ErrSlow
}

// ErrSlow is the end of an outbox that was full.
var ErrSlow = errors.New("the peer does not read its answers")

// passingShare is the part of the room that answers on the way may fill: one in so many.
const passingShare = 4

// NewOutbox returns an outbox of so many bytes. If it waits, a sender waits for room;
// otherwise a message that does not fit ends the outbox.
func NewOutbox(most int, waits bool) *Outbox {
	o := &Outbox{most: most, waits: waits}
	o.moved = sync.NewCond(&o.mu)
	return o
}

// Send takes in a message, as [Service.Connect] says. After the end it drops everything.
func (o *Outbox) Send(message any, passing bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.end != nil || passing && o.bytes > o.most/passingShare {
		return
	}
	line := Line(message)
	full := func() bool { return o.end == nil && o.bytes > 0 && o.bytes+len(line) > o.most }
	for o.waits && full() {
		o.moved.Wait()
	}
	switch {
	case o.end != nil:
		return
	case full():
		o.lines, o.bytes, o.end = nil, 0, ErrSlow
	default:
		o.lines = append(o.lines, line)
		o.bytes += len(line)
	}
	o.moved.Broadcast()
}

// Next waits for the next message and takes it out. When none is left it returns the end of
// the outbox, and at once the error of a context that has ended.
func (o *Outbox) Next(ctx context.Context) (line []byte, err error) {
	stop := context.AfterFunc(ctx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.moved.Broadcast()
	})
	defer stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.lines) == 0 && o.end == nil && ctx.Err() == nil {
		o.moved.Wait()
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case len(o.lines) == 0:
		return nil, o.end
	}
	line, o.lines[0], o.lines = o.lines[0], nil, o.lines[1:]
	o.bytes -= len(line)
	o.moved.Broadcast()
	return line, nil
}

// Close ends the outbox; what is in it can still be taken out, unless it is cut off.
func (o *Outbox) Close(cut bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.end == nil {
		o.end = io.EOF
	}
	if cut {
		o.lines, o.bytes = nil, 0
	}
	o.moved.Broadcast()
}

// writeTo writes the messages of an outbox until it ends or writing fails, which closes it.
func (o *Outbox) writeTo(w io.Writer) error {
	for {
		line, err := o.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			_, err = w.Write(line)
		}
		if err != nil {
			o.Close(true)
			return err
		}
	}
}

// Line returns the JSON of a message to a client, with the end of its line.
func Line(message any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(message); err != nil {
		b.Reset()
		_ = enc.Encode(&Problem{Code: Internal, Error: "internal error: " + err.Error()})
	}
	return b.Bytes()
}
