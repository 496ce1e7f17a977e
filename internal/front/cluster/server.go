package cluster

import (
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/carozero/carozero/internal/support/lock"
)

// serverReady is how long the embedded server may take to begin.
const serverReady = 30 * time.Second

// Bounds of the embedded server, beside those on messages.
const (
	spareConns    = 16 // connections beside those of workers
	maxWorkerSubs = 64 // subscriptions of one connection
	serverPending = 64 << 20
	mostStrangers = 256             // connections that have not said who they are
	writeWithin   = 4 * time.Second // after which a connection that takes nothing is closed
	mostBanned    = 10_000
)

// ServerOptions say how the embedded server is to be reached.
type ServerOptions struct {
	Dir     string // where JetStream keeps its files; what an earlier server has left there is removed
	Addr    string // host:port; port 0 chooses one
	Token   string // that every peer may show; "": none
	Tokens  string // file of the workers' own tokens; "": none
	TLS     *tls.Config
	Group   string
	Workers int // connections that are served at once

	unsynced bool // of tests, whose machines do not crash
}

// Server is a NATS server inside this process. It lets a worker do what it must and
// nothing else: publish under its session, listen to its inbox and to the news.
type Server struct {
	opts   ServerOptions
	server *natsserver.Server
	door   *door
	keys   *keys
	lock   *lock.Lock
	own    string // what this process says in place of a token
	local  string // what its workers say

	mu     sync.Mutex
	peers  map[string]guest // by session
	banned map[string]bool  // sessions
	bans   []string         // in their order
}

// guest is a connection that was let in.
type guest struct {
	id    uint64 // of the connection
	token string // name of its token, "" for the one that all have
}

// StartServer starts a server, which runs until it is closed. A folder serves one server
// at a time.
func StartServer(o ServerOptions) (s *Server, err error) {
	s = &Server{opts: o, own: NewSession(), local: NewSession(), peers: map[string]guest{}, banned: map[string]bool{}}
	defer func() {
		if err != nil {
			s.Close()
			s = nil
		}
	}()
	if err := os.MkdirAll(filepath.Dir(o.Dir), 0o777); err != nil {
		return s, err
	}
	// Before anything there is opened: another coordinator may be at work.
	if s.lock, err = lock.File(o.Dir); err != nil {
		return s, err
	}
	if s.keys, err = newKeys(o.Token, o.Tokens); err != nil {
		return s, err
	}
	listener, err := listen(o.Addr)
	if err != nil {
		return s, err
	}
	s.door = newDoor(listener, o.TLS)
	// The queue is made anew by each coordinator, so that nothing there is worth reading.
	if err := os.RemoveAll(filepath.Join(o.Dir, natsserver.JetStreamStoreDir)); err != nil {
		return s, err
	}
	s.server, err = natsserver.NewServer(&natsserver.Options{
		ServerName: "carozero-" + o.Group, DontListen: true,
		NoLog: true, NoSigs: true, DisableShortFirstPing: true,
		MaxPayload: maxMessage, MaxPending: serverPending, MaxConn: o.Workers + spareConns, MaxSubs: maxWorkerSubs,
		MaxControlLine: maxLine, PingInterval: 20 * time.Second, MaxPingsOut: 2, WriteDeadline: writeWithin,
		JetStream: true, StoreDir: o.Dir, SyncAlways: !o.unsynced,
		CustomClientAuthentication: (*gate)(s), AuthTimeout: 10,
	})
	if err != nil {
		return s, fmt.Errorf("the embedded server: %w", err)
	}
	s.server.Start()
	if !s.server.ReadyForConnections(serverReady) {
		return s, errors.New("the embedded server does not start")
	}
	return s, s.door.open(s.server)
}

// listen listens on an address of a user.
func listen(addr string) (net.Listener, error) {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("address %q: want host:port", addr)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, fmt.Errorf("address %q: want a port from 0 to 65535", addr)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("the embedded server: %w", err)
	}
	return listener, nil
}

// URL returns where the server is to be reached.
func (s *Server) URL() string {
	scheme := "nats://"
	if s.opts.TLS != nil {
		scheme = "tls://"
	}
	host, _, _ := net.SplitHostPort(s.opts.Addr)
	_, port, _ := net.SplitHostPort(s.door.listener.Addr().String())
	return scheme + net.JoinHostPort(host, port)
}

// Connect returns a connection of this process, with all rights.
func (s *Server) Connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(s.server), nats.UserInfo(s.own, s.own), nats.Name("coordinator"),
		nats.MaxReconnects(-1), nats.CustomInboxPrefix(inbox(s.own)))
}

// Link returns how a worker inside this process is to connect.
func (s *Server) Link() Link { return Link{Token: s.local, server: s.server} }

// Ban ends the connection of a session and lets it have no other.
func (s *Server) Ban(session string) {
	s.mu.Lock()
	if !s.banned[session] {
		s.banned[session], s.bans = true, append(s.bans, session)
	}
	if len(s.bans) > mostBanned {
		delete(s.banned, s.bans[0])
		s.bans = s.bans[1:]
	}
	g, there := s.peers[session]
	s.mu.Unlock()
	if there {
		_ = s.server.DisconnectClientByID(g.id) // it may have gone by itself
	}
}

// Holder returns the name of the token with which a session was let in, "" for the one that
// all have.
func (s *Server) Holder(session string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peers[session].token
}

// Revoked reports whether a token was revoked, by its name; "" is the one that all have.
func (s *Server) Revoked(token string) bool { return s.keys.revoked(token) }

// Reread reads the file of tokens again if it was replaced. What cannot be read changes
// nothing.
func (s *Server) Reread() error { return s.keys.reread() }

// Close ends the server and all its connections.
func (s *Server) Close() {
	if s.door != nil {
		s.door.close()
	}
	if s.server != nil {
		s.server.Shutdown()
		s.server.WaitForShutdown()
	}
	if s.door != nil {
		s.door.wait()
	}
	if s.lock != nil {
		_ = s.lock.Close() // it ends with the process in any case
	}
}

// gate decides who may connect.
type gate Server

// Check implements the server's Authentication. A worker's user name is its session.
func (g *gate) Check(c natsserver.ClientAuthentication) bool {
	s := (*Server)(g)
	o := c.GetOpts()
	if equal(o.Username, s.own) && equal(o.Password, s.own) {
		return true
	}
	if !sessionPattern.MatchString(o.Username) {
		return false
	}
	token, known := "", equal(o.Password, s.local)
	if !known {
		token, known = s.keys.holder(o.Password)
	}
	if !known {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.banned[o.Username] {
		return false
	}
	if len(s.peers) > 2*(s.opts.Workers+spareConns) {
		for session, p := range s.peers {
			if s.server.GetClient(p.id) == nil {
				delete(s.peers, session) // it has gone
			}
		}
	}
	s.peers[o.Username] = guest{c.GetID(), token}
	c.RegisterUser(&natsserver.User{Username: o.Username, Permissions: group(s.opts.Group).permissions(o.Username)})
	return true
}

// equal compares what must not be guessed byte by byte.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// permissions returns what the session of a worker may do. Nothing of it concerns
// JetStream: whatever that answers would go wherever a peer wants, and what it makes stays.
func (g group) permissions(session string) *natsserver.Permissions {
	return &natsserver.Permissions{
		Publish: &natsserver.SubjectPermission{Allow: []string{
			g.hello(session), g.status(session), g.read(session),
			g.of(session, verbDeal), g.of(session, verbResult), g.of(session, verbPart), g.of(session, verbBeat), g.of(session, verbBye),
		}},
		Subscribe: &natsserver.SubjectPermission{Allow: []string{inbox(session), inbox(session) + ".>", g.news()}},
	}
}

// Link says how the NATS server is reached and what it has to be shown.
type Link struct {
	URL   string // of the server; several, separated by commas, for a cluster of them
	Token string // of an embedded server; "": none
	Creds []byte // credentials of an existing server, as their file has them; nil: none

	TLS *tls.Config // own authorities and certificate; nil: as the URL wants it, with the system's

	server nats.InProcessConnProvider
}

// ErrToken is wrapped by the error for a token or credentials that the server refuses.
var ErrToken = errors.New("the server refuses the token or the credentials: it knows no such one, or it was revoked")

// connect opens a connection under the name of a session. It goes on trying to come
// back whenever it is lost, and before the first time too where wait says so. Where the
// server refuses this side, denied is called; nil tries again for ever.
func (l Link) connect(session string, wait bool, note func(string), denied func(error)) (*nats.Conn, error) {
	opts := []nats.Option{
		nats.Name("carozero"), nats.CustomInboxPrefix(inbox(session)),
		nats.MaxReconnects(-1), nats.ReconnectWait(reconnect), nats.RetryOnFailedConnect(wait), nats.PingInterval(20 * time.Second),
		nats.IgnoreAuthErrorAbort(), nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				note(fmt.Sprintf("the connection is lost: %v", err))
			}
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			if denied != nil && errors.Is(err, nats.ErrAuthorization) {
				denied(ErrToken)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if !errors.Is(err, nats.ErrSlowConsumer) {
				note(err.Error())
			}
		}),
	}
	if l.Token != "" {
		opts = append(opts, nats.UserInfo(session, l.Token))
	}
	if l.Creds != nil {
		opts = append(opts, nats.UserCredentialBytes(l.Creds))
	}
	if l.TLS != nil {
		opts = append(opts, nats.Secure(l.TLS))
	}
	if l.server != nil {
		opts = append(opts, nats.InProcessServer(l.server))
	}
	nc, err := nats.Connect(l.URL, opts...)
	if errors.Is(err, nats.ErrAuthorization) {
		err = ErrToken
	}
	return nc, err
}

// Dial connects a coordinator to an existing server.
func (l Link) Dial(note func(string)) (*nats.Conn, error) {
	return l.connect(NewSession(), false, note, nil)
}

// reconnect is how long a lost connection waits before it tries again.
const reconnect = 500 * time.Millisecond
