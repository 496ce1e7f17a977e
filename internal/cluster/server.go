package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Subjects of the requests, and of the news that there is another run.
const (
	subjectConfig  = "carozero.config"  // answered by the configuration's text, empty without a run
	subjectNetwork = "carozero.network" // a piece of a network
	subjectWork    = "carozero.work"    // what a worker is playing and whether it has room for more
	subjectResult  = "carozero.result"  // a finished game
	subjectBroken  = "carozero.broken"  // a network whose results are not finite
	subjectLeave   = "carozero.leave"   // a worker ends
	subjectNews    = "carozero.news"
)

// maxPayload is the largest message, in bytes. A game's result is one message.
const maxPayload = 32 << 20

// shortly limits requests that are answered at once or not at all.
const shortly = 10 * time.Second

// Server is a NATS server inside this process.
type Server struct {
	server *natsserver.Server
	token  string
	secure bool
}

// StartServer listens at addr, host:port, for workers that know the token. Port 0 chooses a
// free one. Without tls the connections are in the open.
func StartServer(addr, token string, tls *tls.Config) (*Server, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%q: want host:port", addr)
	}
	// The server itself would only log that it cannot listen.
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return nil, err
	}
	server, err := natsserver.NewServer(&natsserver.Options{
		Host: host, Port: port, Authorization: token, TLSConfig: tls, TLSTimeout: 10,
		MaxPayload: maxPayload, MaxPending: 4 * maxPayload, NoLog: true, NoSigs: true,
	})
	if err != nil {
		return nil, err
	}
	s := &Server{server, token, tls != nil}
	server.Start()
	if !server.ReadyForConnections(shortly) {
		s.Close()
		return nil, fmt.Errorf("%s: the server cannot listen there", addr)
	}
	return s, nil
}

// URL returns where workers connect.
func (s *Server) URL() string {
	u := url.URL{Scheme: "nats", Host: s.server.Addr().String()}
	if s.secure {
		u.Scheme = "tls"
	}
	return u.String()
}

// connect returns a connection inside this process.
func (s *Server) connect() (*nats.Conn, error) {
	return nats.Connect("", nats.InProcessServer(s.server), nats.Token(s.token))
}

// Close ends the server and all its connections.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}

// Link says how to reach a coordinator.
type Link struct {
	URL   string
	Token string
	TLS   *tls.Config // nil: as the URL says, with the system's authorities
}

// ErrToken means that the coordinator refuses the token.
var ErrToken = errors.New("the coordinator refuses the token")

// reconnect is the wait before a lost connection is tried again.
const reconnect = 500 * time.Millisecond

// dial opens a connection that reconnects whenever it is lost; lost is called then. note hears
// of failures, and denied that the token is refused.
func (l Link) dial(note func(error), lost func(), denied func(error)) (*nats.Conn, error) {
	opts := []nats.Option{
		nats.Name("carozero"), nats.Token(l.Token), nats.MaxReconnects(-1), nats.ReconnectWait(reconnect),
		nats.PingInterval(20 * time.Second), nats.IgnoreAuthErrorAbort(), nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { lost(); note(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrAuthorization) {
				denied(ErrToken)
				return
			}
			note(err)
		}),
	}
	if l.TLS != nil {
		opts = append(opts, nats.Secure(l.TLS))
	}
	nc, err := nats.Connect(l.URL, opts...)
	if errors.Is(err, nats.ErrAuthorization) {
		err = ErrToken
	}
	return nc, err
}

// await is dial that tries again until the coordinator is there. It ends with [ErrToken], with
// the context, or because of a URL that is none.
func (l Link) await(ctx context.Context, note func(error), lost func(), denied func(error)) (*nats.Conn, error) {
	for {
		nc, err := l.dial(note, lost, denied)
		if wrong := (*url.Error)(nil); err == nil || errors.Is(err, ErrToken) || errors.As(err, &wrong) {
			return nc, err
		}
		if errors.Is(err, nats.ErrNoServers) {
			err = fmt.Errorf("%s: nobody listens there", l.URL)
		}
		if op := (*net.OpError)(nil); errors.As(err, &op) && op.Addr != nil {
			err = fmt.Errorf("%v: %w", op.Addr, op.Err) // without this side's port, which changes
		}
		note(err)
		if err := wait(ctx, reconnect, nil, nil); err != nil {
			return nil, err
		}
	}
}
