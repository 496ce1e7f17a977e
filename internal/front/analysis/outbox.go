package analysis

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

// outbox writes messages, one a line, in the order in which they come. It holds
// them while the reader is slow, and when they are too many whoever has one more
// waits.
type outbox struct {
	w    io.Writer
	most int // bytes

	mu    sync.Mutex
	moved *sync.Cond // lines came or went, or it is closed
	lines [][]byte
	bytes int
	end   bool  // nothing comes any more
	err   error // of writing; nothing is written after it
	fail  func()
}

// passingShare is the part of the room that answers on the way may fill: one in so
// many.
const passingShare = 16

// newOutbox returns an outbox that calls fail at the first error of writing.
func newOutbox(w io.Writer, most int, fail func()) *outbox {
	o := &outbox{w: w, most: most, fail: fail}
	o.moved = sync.NewCond(&o.mu)
	return o
}

// send takes in a message, as [Service.Connect] says. After close or an error it
// drops everything.
func (o *outbox) send(message any, passing bool) {
	line := Line(message)
	o.mu.Lock()
	defer o.mu.Unlock()
	if passing && o.bytes > o.most/passingShare {
		return
	}
	for o.bytes > 0 && o.bytes+len(line) > o.most && !o.end && o.err == nil {
		o.moved.Wait()
	}
	if o.end || o.err != nil {
		return
	}
	o.lines = append(o.lines, line)
	o.bytes += len(line)
	o.moved.Broadcast()
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

// write writes what comes until it is closed and all is written, or cut off, or
// writing fails; then it returns the error.
func (o *outbox) write() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.err == nil {
		for len(o.lines) == 0 && !o.end {
			o.moved.Wait()
		}
		if len(o.lines) == 0 {
			break
		}
		lines := o.lines
		o.lines = nil
		o.mu.Unlock()
		n, err := o.writeAll(lines)
		o.mu.Lock()
		o.bytes -= n
		if err != nil {
			o.err = err
			o.fail()
		}
		o.moved.Broadcast()
	}
	return o.err
}

// writeAll writes lines and returns how many bytes they have.
func (o *outbox) writeAll(lines [][]byte) (n int, err error) {
	for _, line := range lines {
		if n += len(line); err == nil {
			_, err = o.w.Write(line)
		}
	}
	return n, err
}

// close says that nothing comes any more; what is there is written, unless it is
// cut off.
func (o *outbox) close(cut bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end = true
	if cut {
		for _, line := range o.lines {
			o.bytes -= len(line)
		}
		o.lines = nil
	}
	o.moved.Broadcast()
}
