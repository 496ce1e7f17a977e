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

// Timeouts of a new connection.
const (
	introduceWithin = 10 * time.Second // for the TLS handshake and the first line
	sendWithin      = 10 * time.Second // for each write to it
)

// proxy accepts the workers' connections for the embedded server, which itself does not
// listen. A connection gets one of the server's places once it has sent its first line.
// Silent connections wait here; their number is small and a new one replaces the oldest, so
// clients without a token cannot keep others out by staying silent.
type proxy struct {
	listener net.Listener
	tls      *tls.Config
	server   *natsserver.Server
	info     []byte // what the server says first

	mu        sync.Mutex
	closed    bool
	conns     map[net.Conn]bool // all of them
	strangers []net.Conn        // that have sent nothing yet, the oldest first
	serving   sync.WaitGroup
}

func newProxy(listener net.Listener, tls *tls.Config) *proxy {
	return &proxy{listener: listener, tls: tls, conns: map[net.Conn]bool{}}
}

// open accepts connections until close is called.
func (p *proxy) open(server *natsserver.Server) error {
	p.server = server
	info, err := p.greeting()
	if err != nil {
		return fmt.Errorf("the embedded server: %w", err)
	}
	p.info = info
	p.serving.Go(p.serve)
	return nil
}

// greeting returns the server's first line with the proxy's own address and limits.
func (p *proxy) greeting() ([]byte, error) {
	inner, err := p.server.InProcessConn()
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
	if p.tls != nil {
		fields["tls_required"], fields["tls_verify"] = true, p.tls.ClientAuth == tls.RequireAndVerifyClientCert
	}
	if text, err = json.Marshal(fields); err != nil {
		return nil, err
	}
	return append(append([]byte("INFO "), text...), "\r\n"...), nil
}

// serve accepts connections.
func (p *proxy) serve() {
	pause := time.Millisecond
	for {
		conn, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files, for example
			time.Sleep(pause)
			pause = min(2*pause, time.Second)
			continue
		}
		pause = time.Millisecond
		if p.meet(conn) {
			p.serving.Go(func() {
				defer p.forget(conn)
				p.introduce(conn)
			})
		}
	}
}

// meet registers a new connection as silent.
func (p *proxy) meet(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		conn.Close()
		return false
	}
	if len(p.strangers) >= mostStrangers {
		p.strangers[0].Close()
		p.strangers = p.strangers[1:]
	}
	p.strangers, p.conns[conn] = append(p.strangers, conn), true
	return true
}

// known removes a connection from the silent ones and reports whether it still was one.
func (p *proxy) known(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.strangers {
		if other == conn {
			p.strangers = append(p.strangers[:i], p.strangers[i+1:]...)
			return true
		}
	}
	return false
}

// forget closes a connection.
func (p *proxy) forget(conn net.Conn) {
	p.known(conn)
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
	conn.Close()
}

// introduce waits for the first line of a connection, then forwards everything until one
// side closes.
func (p *proxy) introduce(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(introduceWithin)) // a closed connection is noticed below
	if _, err := conn.Write(p.info); err != nil {
		return
	}
	outer := conn
	if p.tls != nil {
		secured := tls.Server(conn, p.tls)
		if secured.Handshake() != nil {
			return
		}
		outer = secured
	}
	in := bufio.NewReaderSize(outer, maxLine)
	line, err := in.ReadSlice('\n')
	if err != nil || len(line) < 7 || !bytes.EqualFold(line[:7], []byte("CONNECT")) || !p.known(conn) {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	inner, err := p.server.InProcessConn()
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
		for { // skip the server's greeting: the client has had one
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

// pass copies until one side closes.
func pass(to io.Writer, from io.Reader) {
	_, _ = io.CopyBuffer(struct{ io.Writer }{to}, struct{ io.Reader }{from}, make([]byte, maxLine)) // on any error both sides are closed
}

// patient is a writer with a time limit for each write.
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

// close closes all connections; wait waits until that has happened.
func (p *proxy) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.listener.Close()
	for conn := range p.conns {
		conn.Close()
	}
}

func (p *proxy) wait() { p.serving.Wait() }
