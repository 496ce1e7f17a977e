package web

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// limited is a listener with at most so many connections at a time. For a further one the
// one that has waited longest for a request is closed; where none waits, the further one
// does.
type limited struct {
	net.Listener
	most int

	mu    sync.Mutex
	moved *sync.Cond // one has gone or waits for a request, or the listener is closed
	taken int
	idle  []*counted // that wait for a request, the longest first
	over  bool
}

func newLimited(l net.Listener, most int) *limited {
	limited := &limited{Listener: l, most: most}
	limited.moved = sync.NewCond(&limited.mu)
	return limited
}

// Accept implements [net.Listener].
func (l *limited) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.taken >= l.most && !l.over {
		if len(l.idle) > 0 {
			_ = l.drop(l.idle[0]) // its peer may be gone, which is no concern of ours
		} else {
			l.moved.Wait()
		}
	}
	if l.over {
		_ = conn.Close() // nobody has asked anything
		return nil, net.ErrClosed
	}
	l.taken++
	return &counted{Conn: conn, of: l}, nil
}

// Close implements [net.Listener].
func (l *limited) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	l.moved.Broadcast()
	return l.Listener.Close()
}

// watch takes the states of connections, as [http.Server.ConnState].
func (l *limited) watch(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*counted)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wake(c)
	if state == http.StateIdle && !c.gone {
		l.idle = append(l.idle, c)
		l.moved.Broadcast()
	}
}

// wake takes a connection off those that wait for a request; l.mu is held.
func (l *limited) wake(c *counted) {
	l.idle = slices.DeleteFunc(l.idle, func(have *counted) bool { return have == c })
}

// drop closes a connection; l.mu is held.
func (l *limited) drop(c *counted) error {
	if !c.gone {
		c.gone = true
		l.taken--
		l.wake(c)
		l.moved.Broadcast()
	}
	return c.Conn.Close()
}

// counted is a connection that counts as long as it is open.
type counted struct {
	net.Conn
	of   *limited
	gone bool // is closed; of.mu guards it
}

// Close implements [net.Conn].
func (c *counted) Close() error {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	return c.of.drop(c)
}
