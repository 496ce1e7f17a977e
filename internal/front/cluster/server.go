package cluster

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/carozero/carozero/internal/disk"
)

// serverReady is how long the embedded server may take to start.
const serverReady = 30 * time.Second

// Limits of the embedded server, besides those on messages.
const (
	spareConns    = 16 // connections besides the workers'
	maxWorkerSubs = 64 // subscriptions of one connection
	serverPending = 64 << 20
	mostStrangers = 256             // connections that have not identified themselves
	writeWithin   = 4 * time.Second // after which a connection that reads nothing is closed
	mostBanned    = 10_000
)

// ServerOptions configure the embedded server.
type ServerOptions struct {
	Dir     string // where JetStream keeps its files; an earlier server's files are removed
	Addr    string // host:port; port 0 chooses one
	Token   string // that all peers may use; "": none
	Tokens  string // file of the workers' own tokens; "": none
	TLS     *tls.Config
	Group   string
	Workers int // maximum number of connections

	unsynced bool // only for tests
}

// Server is a NATS server inside this process. A worker may only do what it needs: publish
// under its session, and listen to its inbox and to the news.
type Server struct {
	opts   ServerOptions
	server *natsserver.Server
	proxy  *proxy
	keys   *keys
	lock   *disk.Lock
	own    string // this process's own secret, used in place of a token
	local  string // secret of the workers inside this process

	mu     sync.Mutex
	peers  map[string]guest // by session
	banned map[string]bool  // sessions
	bans   []string         // banned sessions in order
}

// guest is a connection that was let in.
type guest struct {
	id    uint64 // of the connection
	token string // name of its token, "" for the shared one
	local bool   // it is of this process and has no token
}

// StartServer starts a server, which runs until it is closed. Only one server at a time can
// use a folder.
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
	// Lock before touching any file: another coordinator may be running.
	if s.lock, err = disk.LockFile(o.Dir); err != nil {
		return s, err
	}
	if s.keys, err = newKeys(o.Token, o.Tokens); err != nil {
		return s, err
	}
	listener, err := listen(o.Addr)
	if err != nil {
		return s, err
	}
	s.proxy = newProxy(listener, o.TLS)
	// Each coordinator recreates the queue, so old files are useless.
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
	return s, s.proxy.open(s.server)
}

// listen listens on the address that a user gave.
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

// URL returns the server's URL.
func (s *Server) URL() string {
	scheme := "nats://"
	if s.opts.TLS != nil {
		scheme = "tls://"
	}
	host, _, _ := net.SplitHostPort(s.opts.Addr)
	_, port, _ := net.SplitHostPort(s.proxy.listener.Addr().String())
	return scheme + net.JoinHostPort(host, port)
}

// Connect returns a connection of this process, with all rights.
func (s *Server) Connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(s.server), nats.UserInfo(s.own, s.own), nats.Name("coordinator"),
		nats.MaxReconnects(-1), nats.CustomInboxPrefix(inbox(s.own)))
}

// Link returns how a worker inside this process connects.
func (s *Server) Link() Link { return Link{Token: s.local, server: s.server} }

// Ban closes the connection of a session and refuses new ones.
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
		_ = s.server.DisconnectClientByID(g.id) // it may already be closed
	}
}

// Holder returns the name of the token that a session used, "" for the shared one.
func (s *Server) Holder(session string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peers[session].token
}

// Revoked reports whether the token of this name was revoked; "" is the shared one.
func (s *Server) Revoked(token string) bool { return s.keys.revoked(token) }

// Reread reads the token file again if it was replaced, and closes the connections whose token
// was revoked. An unreadable file changes nothing.
func (s *Server) Reread() error {
	err := s.keys.reread()
	s.mu.Lock()
	var revoked []uint64
	for _, g := range s.peers {
		if !g.local && s.keys.revoked(g.token) {
			revoked = append(revoked, g.id)
		}
	}
	s.mu.Unlock()
	for _, id := range revoked {
		_ = s.server.DisconnectClientByID(id) // it may already be closed
	}
	return err
}

// Close ends the server and all its connections.
func (s *Server) Close() {
	if s.proxy != nil {
		s.proxy.close()
	}
	if s.server != nil {
		s.server.Shutdown()
		s.server.WaitForShutdown()
	}
	if s.proxy != nil {
		s.proxy.wait()
	}
	if s.lock != nil {
		_ = s.lock.Close() // released with the process in any case
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
	who, known := guest{id: c.GetID(), local: equal(o.Password, s.local)}, true
	if !who.local {
		who.token, known = s.keys.holder(o.Password)
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
				delete(s.peers, session) // it has disconnected
			}
		}
	}
	s.peers[o.Username] = who
	c.RegisterUser(&natsserver.User{Username: o.Username, Permissions: group(s.opts.Group).permissions(o.Username)})
	return true
}

// equal compares two secrets in constant time.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// permissions returns what the session of a worker may do. JetStream is excluded: it would
// answer to any subject that a peer names, and keep what a peer creates.
func (g group) permissions(session string) *natsserver.Permissions {
	return &natsserver.Permissions{
		Publish: &natsserver.SubjectPermission{Allow: []string{
			g.hello(session), g.status(session), g.read(session),
			g.of(session, verbDeal), g.of(session, verbResult), g.of(session, verbPart), g.of(session, verbBeat), g.of(session, verbBye),
		}},
		Subscribe: &natsserver.SubjectPermission{Allow: []string{inbox(session), inbox(session) + ".>", g.news()}},
	}
}

// Link says how to reach the NATS server and with which secret.
type Link struct {
	URL   string // of the server; several servers of a NATS cluster are separated by commas
	Token string // of an embedded server; "": none
	Creds []byte // content of the credentials file of an external server; nil: none

	TLS *tls.Config // own authorities and certificate; nil: as the URL says, with the system's

	server nats.InProcessConnProvider
}

// ErrToken means that the server refuses the token or the credentials.
var ErrToken = errors.New("the server refuses the token or the credentials: it knows no such one, or it was revoked")

// connect opens a connection under the name of a session. It reconnects whenever the
// connection is lost. denied is called when the server refuses this side then; nil means
// retry forever. An error is [ErrToken] if the server refuses it at once.
func (l Link) connect(session string, note func(string), denied func(error)) (*nats.Conn, error) {
	said := "" // why the last try to connect has failed
	opts := []nats.Option{
		nats.Name("carozero"), nats.CustomInboxPrefix(inbox(session)),
		nats.MaxReconnects(-1), nats.ReconnectWait(reconnect), nats.PingInterval(20 * time.Second),
		nats.IgnoreAuthErrorAbort(), nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				note(fmt.Sprintf("the connection is lost: %v", err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { said = "" }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			if text := why(err); text != said {
				said = text
				note("no connection: " + text)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			switch text := err.Error(); {
			case errors.Is(err, nats.ErrSlowConsumer):
			case denied != nil && refused(err):
				denied(ErrToken)
			case text != said:
				said = text
				note(text)
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
	if refused(err) {
		err = ErrToken
	}
	return nc, err
}

// refused reports whether an error is the server's answer to a token or to credentials, which
// no other try will change.
func refused(err error) bool {
	for _, e := range []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// why returns why there is no connection, without this side's port, which is another one each
// time.
func why(err error) string {
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Source != nil && op.Addr != nil {
		return fmt.Sprintf("%s %s %v: %v", op.Op, op.Net, op.Addr, op.Err)
	}
	return err.Error()
}

// await is connect that tries again until the server is there; it ends with [ErrToken], with
// the context, or because of a URL that is none. note hears why it is not there, each reason
// once.
//
// The client library could wait by itself, but says nothing of a refused token while it does.
func (l Link) await(ctx context.Context, session string, note func(string), denied func(error)) (*nats.Conn, error) {
	for said := ""; ; {
		nc, err := l.connect(session, note, denied)
		if wrong := (*url.Error)(nil); err == nil || errors.Is(err, ErrToken) || errors.As(err, &wrong) {
			return nc, err
		}
		if errors.Is(err, nats.ErrNoServers) {
			err = fmt.Errorf("%s: nobody listens there", l.URL)
		}
		if text := why(err); text != said {
			said = text
			note("no connection: " + text)
		}
		if err := pause(ctx, reconnect); err != nil {
			return nil, err
		}
	}
}

// Dial connects a coordinator to an external server.
func (l Link) Dial(note func(string)) (*nats.Conn, error) {
	return l.connect(NewSession(), note, nil)
}

// reconnect is the wait before a lost connection is retried.
const reconnect = 500 * time.Millisecond
