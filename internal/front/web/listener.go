package web

import (
	"net"
	"sync"
)

// limited is a listener with at most so many connections at a time; further ones
// wait to be taken.
type limited struct {
	net.Listener
	free chan struct{}
	over chan struct{}
	end  sync.Once
}

func newLimited(l net.Listener, most int) *limited {
	return &limited{Listener: l, free: make(chan struct{}, most), over: make(chan struct{})}
}

// Accept implements [net.Listener].
func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.over:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &counted{Conn: conn, gone: sync.OnceFunc(func() { <-l.free })}, nil
}

// Close implements [net.Listener].
func (l *limited) Close() error {
	l.end.Do(func() { close(l.over) })
	return l.Listener.Close()
}

// counted is a connection that counts as long as it is open.
type counted struct {
	net.Conn
	gone func()
}

// Close implements [net.Conn].
func (c *counted) Close() error {
	defer c.gone()
	return c.Conn.Close()
}
