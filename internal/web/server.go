// Package web serves a board in the browser: an embedded page, and what it asks over HTTP and a
// WebSocket. It finds no moves and keeps no game. Every request passes the guard (guard.go), then
// its route (route.go); a socket (socket.go) is one client of an [analysis.Service]. A visitor can
// be rude: [Limits] bound what is read, how many are served at once, and how long.
package web

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/net/netutil"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/games"
)

// Options say what a server is.
type Options struct {
	Addr   string       // that it listens on, host:port
	Hosts  []string     // names by which it may be called beside those of Addr and loopback
	Token  string       // that every visitor needs; "": none
	Config board.Config // what /api/config tells; the server adds limits of its own and what is open for review
	Paths  []string     // files and folders to review
	Line   int          // bytes of a message; zero means 256 KiB
	Limits Limits

	// Book is the service's opening book, nil for none. With EditBook and a token
	// visitors may set labels and comments of its positions; it is open for writing then.
	Book     *book.Book
	EditBook bool
}

// Server answers a browser. Make one with New.
type Server struct {
	service  *analysis.Service
	opts     Options
	limits   Limits
	reviews  *reviews
	page     string        // digest of the page's files
	reading  chan struct{} // holds one value for each body that is being read
	working  chan struct{} // holds one value for each import, export or page of a review that is under way
	unsent   atomic.Int64  // bytes of the answers to these that are being sent
	sockets  chan struct{} // holds one value for each socket that is open
	loopback bool
	handler  http.Handler

	over context.Context // ends with the server
	end  context.CancelCauseFunc
}

// New returns a server in front of a service, which [Server.Run] runs.
func New(service *analysis.Service, o Options) (*Server, error) {
	s := &Server{service: service, opts: o, limits: o.Limits.withDefaults(), loopback: IsLoopback(o.Addr)}
	s.opts.Line = cmp.Or(o.Line, 256<<10)
	s.over, s.end = context.WithCancelCause(context.Background())
	files, err := fs.Sub(Page, "page")
	if err != nil {
		return nil, err
	}
	assets, err := readAssets(files)
	if err != nil {
		return nil, err
	}
	s.page = digest(assets)
	s.reading = make(chan struct{}, s.limits.Bodies)
	s.working = make(chan struct{}, s.limits.Work)
	s.sockets = make(chan struct{}, s.limits.Clients)
	d := o.Config.Defaults
	s.reviews, err = openReviews(o.Paths, games.VariantOptions{Game: d.Game, Rule: d.Rule, Size: d.Size})
	if err != nil {
		return nil, err
	}
	s.handler = s.guard(s.routes(assets))
	return s, nil
}

// Handler returns what answers requests.
func (s *Server) Handler() http.Handler { return s.handler }

// errOver is the cause of contexts that end with the server.
var errOver = errors.New("the program ends")

// spareConnections is how many connections there may be beside sockets; further ones wait.
// Most of them ask nothing: one costs some 10 KiB, and a slow one must keep nobody out.
const spareConnections = 2000

// How long a connection may wait for a request, and a request's header may take. Both are
// short, since such connections keep others waiting.
const (
	idleConnection = 10 * time.Second
	headerTime     = 5 * time.Second
)

// farewell is how long sockets and requests have to end.
const farewell = 2 * time.Second

// Run serves what comes to a listener, which it closes, until ctx ends, which is no
// error. Then open queries are dropped, sockets are told that the program ends, and
// everything is joined.
func (s *Server) Run(ctx context.Context, listener net.Listener) error {
	connections := netutil.LimitListener(listener, s.limits.Clients+spareConnections)
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleConnection,
		MaxHeaderBytes:    16 << 10,
	}
	ran, served := make(chan error, 1), make(chan error, 1)
	go func() { ran <- s.service.Run(s.over) }()
	go func() { served <- server.Serve(connections) }()
	var failed error
	select {
	case <-ctx.Done():
	case failed = <-served:
		served <- nil
	}
	s.end(errOver)
	ending, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		_ = server.Close()
	}
	err := <-served
	for range cap(s.sockets) { // until none is open
		select {
		case s.sockets <- struct{}{}:
		case <-ending.Done():
		}
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(failed, err, <-ran)
}

// Limits bound what a server takes from its visitors. Zero stands for the default
// that each field names.
type Limits struct {
	Clients int // sockets that are open; zero means 100
	Work    int // imports, exports and pages of reviews at once; zero means 4
	Bodies  int // bodies that are read at once; zero means 64
	Body    int // bytes of a body; zero means 4 MiB
	Unread  int // bytes that a socket's peer has not read, before it is closed; zero means 4 MiB
	Unsent  int // bytes of answers beside sockets, before work waits until their peers read; zero means 64 MiB

	// Rate is how many messages a second a socket's peer may send in the long run;
	// beyond that it is read more slowly. Zero means 200.
	Rate int

	// Idle is how long a socket's peer may leave a ping unanswered; Request how
	// long a request other than a socket may take. Zero means 30 seconds each.
	Idle, Request time.Duration
}

// withDefaults returns l with each zero replaced by what it stands for.
func (l Limits) withDefaults() Limits {
	l.Clients = cmp.Or(l.Clients, 100)
	l.Work = cmp.Or(l.Work, 4)
	l.Bodies = cmp.Or(l.Bodies, 64)
	l.Body = cmp.Or(l.Body, 4<<20)
	l.Unread = cmp.Or(l.Unread, 4<<20)
	l.Unsent = cmp.Or(l.Unsent, 64<<20)
	l.Rate = cmp.Or(l.Rate, 200)
	l.Idle = cmp.Or(l.Idle, 30*time.Second)
	l.Request = cmp.Or(l.Request, 30*time.Second)
	return l
}
