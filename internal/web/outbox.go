package web

import (
	"bytes"
	"sync"

	"github.com/carozero/carozero/internal/analysis"
)

// outbox holds the messages to a socket's peer until they are written. Unlike a
// pipe it never makes the sender wait: a peer that reads too slowly loses passing
// answers, and then the connection.
type outbox struct {
	most int // bytes

	mu    sync.Mutex
	lines [][]byte
	bytes int
	full  bool          // more came than fits; nothing is taken in after it
	news  chan struct{} // holds one value when something changed
}

// passingShare is the part of the room that answers on the way may fill: one in so
// many.
const passingShare = 4

func newOutbox(most int) *outbox { return &outbox{most: most, news: make(chan struct{}, 1)} }

// send takes in a message, as [analysis.Service.Connect] says.
func (o *outbox) send(message any, passing bool) {
	o.mu.Lock()
	crowded := o.full || passing && o.bytes > o.most/passingShare
	o.mu.Unlock()
	if crowded {
		return
	}
	text := bytes.TrimSuffix(analysis.Line(message), []byte("\n"))
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.full:
		return
	case o.bytes > 0 && o.bytes+len(text) > o.most:
		o.full, o.lines, o.bytes = true, nil, 0
	default:
		o.lines = append(o.lines, text)
		o.bytes += len(text)
	}
	select {
	case o.news <- struct{}{}:
	default:
	}
}

// next takes a message out; there is none for false, and full says that the peer
// is to go.
func (o *outbox) next() (text []byte, ok, full bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.full || len(o.lines) == 0 {
		return nil, false, o.full
	}
	text = o.lines[0]
	o.lines[0] = nil
	o.lines = o.lines[1:]
	o.bytes -= len(text)
	return text, true, false
}
