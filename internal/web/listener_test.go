package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// dial opens a connection, which ends with the test.
func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil { // less than a connection may be idle
		t.Fatal(err)
	}
	return conn
}

// Where all connections are taken, a further one takes the place of the one that is idle
// longest, or waits until one is idle or gone.
func TestFullListener(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newLimited(inner, 2)
	defer l.Close()
	type taken struct {
		net.Conn
		err error
	}
	accept := func() <-chan taken {
		got := make(chan taken, 1)
		go func() {
			conn, err := l.Accept()
			got <- taken{conn, err}
		}()
		return got
	}
	var ours, theirs []net.Conn
	open := func() <-chan taken {
		theirs = append(theirs, dial(t, inner.Addr().String()))
		return accept()
	}
	keep := func(got taken) {
		t.Helper()
		if got.err != nil {
			t.Fatal(got.err)
		}
		t.Cleanup(func() { got.Close() })
		ours = append(ours, got.Conn)
	}
	ended := func(i int) bool { // whether the peer of a connection reads its end; else what is sent to it
		_, _ = ours[i].Write([]byte("x"))
		_, err := theirs[i].Read(make([]byte, 1))
		return errors.Is(err, io.EOF)
	}
	want := func(open ...bool) {
		t.Helper()
		for i, open := range open {
			if ended(i) == open {
				t.Errorf("connection %d: open %v, want %v", i, !open, open)
			}
		}
	}
	keep(<-open())
	keep(<-open())
	l.watch(ours[1], http.StateIdle)
	l.watch(ours[0], http.StateIdle)
	keep(<-open())
	want(true, false, true)
	l.watch(ours[0], http.StateActive)
	next := open()
	l.watch(ours[2], http.StateIdle)
	keep(<-next)
	want(true, false, false, true)
	next = open()
	ours[0].Close()
	ours[0].Close() // counts once
	keep(<-next)
	want(false, false, false, true, true)
	next = open()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-next; !errors.Is(got.err, net.ErrClosed) {
		t.Errorf("after the end: %v", got.err)
	}
	if len(l.idle) != 0 || l.taken != 2 {
		t.Errorf("%d idle of %d", len(l.idle), l.taken)
	}
}

// Idle connections keep nobody out, and make room for others; who is at work and whose
// socket is open stays.
func TestIdleConnections(t *testing.T) {
	s := open(t, small(), Options{Limits: Limits{Clients: 1}})
	socket := s.meet()
	slow := dial(t, s.addr)
	fmt.Fprintf(slow, "POST /api/export HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{", s.addr)
	answered := func(conn net.Conn) {
		t.Helper()
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%d, %v", r.StatusCode, err)
		}
	}
	var idle []net.Conn
	for range 2 * spareConnections {
		conn := dial(t, s.addr)
		fmt.Fprintf(conn, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", s.addr)
		answered(conn)
		idle = append(idle, conn)
	}
	for i := range 10 {
		if _, err := idle[i].Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("idle connection %d: %v, want its end", i, err)
		}
	}
	fmt.Fprint(slow, `"format":"sgf"}`)
	answered(slow)
	if err := socket.conn.Write(context.Background(), websocket.MessageText, []byte(`{"id":"v","action":"query_version"}`)); err != nil || socket.hear()["id"] != "v" {
		t.Errorf("the socket: %v", err)
	}
}
