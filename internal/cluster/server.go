package cluster

import (
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// serverReady is how long the embedded server may take to begin.
const serverReady = 30 * time.Second

// maxConsumers bounds the readers of the published configurations and networks.
const maxConsumers = 1 << 14

// ServerOptions say how the embedded server is to be reached.
type ServerOptions struct {
	Dir     string // where JetStream keeps its files
	Addr    string // host:port; port 0 chooses one
	Token   string // what every peer has to know
	TLS     *tls.Config
	Group   string
	Workers int // connections that are served at once

	unsynced bool // of tests, whose machines do not crash
}

// Server is a NATS server inside this process. It lets a worker do what it must and
// nothing else: publish under its session, listen to its inbox, read what is published.
type Server struct {
	opts   ServerOptions
	server *natsserver.Server
	own    string // what this process says in place of the token

	mu     sync.Mutex
	peers  map[string]uint64 // connections by session
	banned map[string]bool   // sessions
}

// StartServer starts a server, which runs until it is closed.
func StartServer(o ServerOptions) (*Server, error) {
	host, port, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return nil, fmt.Errorf("address %q: want host:port", o.Addr)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("address %q: want a port from 0 to 65535", o.Addr)
	}
	// The server would try for long where somebody else listens.
	free, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("the embedded server: %w", err)
	}
	if err := free.Close(); err != nil {
		return nil, fmt.Errorf("the embedded server: %w", err)
	}
	s := &Server{opts: o, own: NewSession(), peers: map[string]uint64{}, banned: map[string]bool{}}
	s.server, err = natsserver.NewServer(&natsserver.Options{
		ServerName: "carozero-" + o.Group, Host: host, Port: listenPort(int(number)),
		NoLog: true, NoSigs: true, DisableShortFirstPing: true,
		MaxPayload: maxResult + maxControl, MaxConn: o.Workers + spareConns, MaxSubs: maxWorkerSubs,
		MaxControlLine: 1 << 12, PingInterval: 20 * time.Second, MaxPingsOut: 2,
		JetStream: true, StoreDir: o.Dir, SyncAlways: !o.unsynced,
		JetStreamLimits:            natsserver.JSLimitOpts{DefaultMaxConsumers: maxConsumers},
		CustomClientAuthentication: (*gate)(s),
		TLS:                        o.TLS != nil, TLSConfig: o.TLS, TLSTimeout: 10, AuthTimeout: 10,
	})
	if err != nil {
		return nil, fmt.Errorf("the embedded server: %w", err)
	}
	s.server.Start()
	if !s.server.ReadyForConnections(serverReady) {
		s.Close()
		return nil, fmt.Errorf("%s: the embedded server cannot listen there", o.Addr)
	}
	return s, nil
}

// Connections beside those of workers, and subscriptions of one connection.
const (
	spareConns    = 16
	maxWorkerSubs = 1 << 15
)

// listenPort returns the port as the server wants it, which takes 0 for its default.
func listenPort(port int) int {
	if port == 0 {
		return natsserver.RANDOM_PORT
	}
	return port
}

// URL returns where the server is to be reached.
func (s *Server) URL() string { return s.server.ClientURL() }

// Connect returns a connection of this process, with all rights.
func (s *Server) Connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(s.server), nats.UserInfo(s.own, s.own), nats.Name("coordinator"),
		nats.MaxReconnects(-1), nats.CustomInboxPrefix(inbox(s.own)))
}

// Link returns how a worker inside this process is to connect.
func (s *Server) Link() Link { return Link{Token: s.opts.Token, server: s.server} }

// Ban ends the connection of a session and lets it have no other.
func (s *Server) Ban(session string) {
	s.mu.Lock()
	s.banned[session] = true
	id, there := s.peers[session]
	s.mu.Unlock()
	if there {
		_ = s.server.DisconnectClientByID(id) // it may have gone by itself
	}
}

// Close ends the server and all its connections.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// gate decides who may connect.
type gate Server

// Check implements the server's Authentication. A worker's user name is its session.
func (g *gate) Check(c natsserver.ClientAuthentication) bool {
	s := (*Server)(g)
	o := c.GetOpts()
	if o.Username == s.own && o.Password == s.own {
		return true
	}
	if subtle.ConstantTimeCompare([]byte(o.Password), []byte(s.opts.Token)) != 1 || !sessionPattern.MatchString(o.Username) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.banned[o.Username] {
		return false
	}
	s.peers[o.Username] = c.GetID()
	c.RegisterUser(&natsserver.User{Username: o.Username, Permissions: group(s.opts.Group).permissions(o.Username)})
	return true
}

// permissions returns what the session of a worker may do.
func (g group) permissions(session string) *natsserver.Permissions {
	publish := []string{g.hello(session), g.status(session), g.of(session, "*"), "$JS.FC.>"}
	for _, stream := range []string{"KV_" + g.bucket(), "OBJ_" + g.bucket()} {
		for _, api := range []string{
			"STREAM.INFO.%s", "STREAM.MSG.GET.%s", "DIRECT.GET.%s", "DIRECT.GET.%s.>",
			"CONSUMER.CREATE.%s", "CONSUMER.CREATE.%s.>", "CONSUMER.INFO.%s.>", "CONSUMER.DELETE.%s.>", "CONSUMER.MSG.NEXT.%s.>",
		} {
			publish = append(publish, "$JS.API."+fmt.Sprintf(api, stream))
		}
	}
	return &natsserver.Permissions{
		Publish:   &natsserver.SubjectPermission{Allow: publish},
		Subscribe: &natsserver.SubjectPermission{Allow: []string{inbox(session), inbox(session) + ".>"}},
	}
}

// Link says how the NATS server is reached and what it has to be shown.
type Link struct {
	URL   string // of the server; several, separated by commas, for a cluster of them
	Token string // of an embedded server; "": none
	Creds string // file of credentials of an existing server; "": none

	CA, Cert, Key string // files of TLS; "": the system's authorities, no own certificate

	server nats.InProcessConnProvider
}

// connect opens a connection under the name of a session. It goes on trying to come
// back whenever it is lost, and before the first time too where wait says so.
func (l Link) connect(session string, wait bool, note func(string)) (*nats.Conn, error) {
	opts := []nats.Option{
		nats.Name("carozero"), nats.CustomInboxPrefix(inbox(session)),
		nats.MaxReconnects(-1), nats.ReconnectWait(reconnect), nats.RetryOnFailedConnect(wait), nats.PingInterval(20 * time.Second),
		nats.IgnoreAuthErrorAbort(), nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				note(fmt.Sprintf("the connection is lost: %v", err))
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
	if l.Creds != "" {
		opts = append(opts, nats.UserCredentials(l.Creds))
	}
	if l.CA != "" {
		opts = append(opts, nats.RootCAs(l.CA))
	}
	if l.Cert != "" {
		opts = append(opts, nats.ClientCert(l.Cert, l.Key))
	}
	if l.server != nil {
		opts = append(opts, nats.InProcessServer(l.server))
	}
	return nats.Connect(l.URL, opts...)
}

// Dial connects a coordinator to an existing server.
func (l Link) Dial(note func(string)) (*nats.Conn, error) {
	return l.connect(NewSession(), false, note)
}

// reconnect is how long a lost connection waits before it tries again.
const reconnect = 500 * time.Millisecond
