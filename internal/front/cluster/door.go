package cluster

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
)

// maxLine is the longest line of the protocol that the server reads, in bytes.
const maxLine = 1 << 12

// Times of a connection at the door.
const (
	introduceWithin = 10 * time.Second // for the handshake of TLS and the first line
	sendWithin      = 10 * time.Second // for what is sent to it, piece by piece
)

// door is where workers come in to the embedded server, which itself listens nowhere. A
// connection gets one of the server's places once it has said who it is: those that say
// nothing wait at the door, where they are few and the oldest gives way to a new one. So
// nobody without a token can keep others out by silence.
type door struct {
	listener net.Listener
	tls      *tls.Config
	server   *natsserver.Server
	info     []byte // what the server says first

	mu        sync.Mutex
	closed    bool
	conns     map[net.Conn]bool // all of them
	strangers []net.Conn        // that have not said who they are, the oldest first
	serving   sync.WaitGroup
}

func newDoor(listener net.Listener, tls *tls.Config) *door {
	return &door{listener: listener, tls: tls, conns: map[net.Conn]bool{}}
}

// open lets connections in until close is called.
func (d *door) open(server *natsserver.Server) error {
	d.server = server
	info, err := d.greeting()
	if err != nil {
		return fmt.Errorf("the embedded server: %w", err)
	}
	d.info = info
	d.serving.Go(d.serve)
	return nil
}

// greeting returns the first line of the server, as those outside are to read it.
func (d *door) greeting() ([]byte, error) {
	inner, err := d.server.InProcessConn()
	if err != nil {
		return nil, err
	}
	defer inner.Close()
	line, err := bufio.NewReaderSize(inner, 8*maxLine).ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	text, isInfo := bytes.CutPrefix(line, []byte("INFO "))
	if !isInfo {
		return nil, fmt.Errorf("its first line is %.40q", line)
	}
	fields := map[string]any{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	delete(fields, "client_id") // of the connection that asked
	delete(fields, "client_ip")
	if d.tls != nil {
		fields["tls_required"], fields["tls_verify"] = true, d.tls.ClientAuth == tls.RequireAndVerifyClientCert
	}
	if text, err = json.Marshal(fields); err != nil {
		return nil, err
	}
	return append(append([]byte("INFO "), text...), "\r\n"...), nil
}

// serve takes connections.
func (d *door) serve() {
	pause := time.Millisecond
	for {
		conn, err := d.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // no more files can be open, say
			time.Sleep(pause)
			pause = min(2*pause, time.Second)
			continue
		}
		pause = time.Millisecond
		if d.meet(conn) {
			d.serving.Go(func() {
				defer d.forget(conn)
				d.introduce(conn)
			})
		}
	}
}

// meet counts a new connection as one that has not said who it is.
func (d *door) meet(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		conn.Close()
		return false
	}
	if len(d.strangers) >= mostStrangers {
		d.strangers[0].Close()
		d.strangers = d.strangers[1:]
	}
	d.strangers, d.conns[conn] = append(d.strangers, conn), true
	return true
}

// known takes a connection from those that have not said who they are, and reports whether
// it still was one.
func (d *door) known(conn net.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, other := range d.strangers {
		if other == conn {
			d.strangers = append(d.strangers[:i], d.strangers[i+1:]...)
			return true
		}
	}
	return false
}

// forget closes a connection.
func (d *door) forget(conn net.Conn) {
	d.known(conn)
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.conns, conn)
	conn.Close()
}

// introduce waits for the first line of a connection and passes on everything from then
// on, until one side ends it.
func (d *door) introduce(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(introduceWithin)) // a connection that has ended is found below
	if _, err := conn.Write(d.info); err != nil {
		return
	}
	outer := conn
	if d.tls != nil {
		secured := tls.Server(conn, d.tls)
		if secured.Handshake() != nil {
			return
		}
		outer = secured
	}
	in := bufio.NewReaderSize(outer, maxLine)
	line, err := in.ReadSlice('\n')
	if err != nil || len(line) < 7 || !bytes.EqualFold(line[:7], []byte("CONNECT")) || !d.known(conn) {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	inner, err := d.server.InProcessConn()
	if err != nil {
		return
	}
	defer inner.Close()
	first := append([]byte(nil), line...)
	var back sync.WaitGroup
	defer back.Wait()
	defer conn.Close()
	back.Go(func() {
		defer conn.Close()
		out := bufio.NewReaderSize(inner, maxLine)
		for { // its greeting: the other side has had one
			_, more, err := out.ReadLine()
			if err != nil {
				return
			}
			if !more {
				break
			}
		}
		pass(patient{conn, outer}, out)
	})
	if _, err := inner.Write(first); err == nil {
		pass(inner, in)
	}
	inner.Close()
}

// pass copies until one side ends.
func pass(to io.Writer, from io.Reader) {
	_, _ = io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, maxLine)) // whoever ended it, both sides are closed
}

// patient writes to a connection that has a time to take each piece.
type patient struct {
	conn  net.Conn // whose deadline is set
	outer io.Writer
}

func (p patient) Write(data []byte) (int, error) {
	if err := p.conn.SetWriteDeadline(time.Now().Add(sendWithin)); err != nil {
		return 0, err
	}
	return p.outer.Write(data)
}

// close ends all connections; wait waits until that has happened.
func (d *door) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	d.listener.Close()
	for conn := range d.conns {
		conn.Close()
	}
}

func (d *door) wait() { d.serving.Wait() }
