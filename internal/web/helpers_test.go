package web

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/players"
)

// site is a server that runs.
type site struct {
	t      testing.TB
	server *Server
	addr   string
	client *http.Client
	stop   context.CancelFunc
	done   chan error
}

// open starts a server without knowledge, which ends with the test and must then
// leave no goroutine.
func open(t testing.TB, a analysis.Options, o Options) *site {
	t.Helper()
	before := goleak.IgnoreCurrent()
	nets := networks.NewNets(networks.NewLoader(networks.LoaderOptions{Threads: 1}), networks.Uniform)
	if a.Tree.Search.Memory == 0 {
		a.Tree, a.Classical = treeOf("memory=16,solver-leaf=100,solver-root=200,solver-replies=50"), players.NewAlphabeta(1)
	}
	service, err := analysis.New(nets, a)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Config.Version == "" {
		o.Config = board.Config{
			Version: "v", Commit: "c", Games: board.Games(), Levels: board.Levels(), Models: []string{},
			Engines:  []string{"mcts", "alphabeta", "each"},
			Defaults: board.Defaults{Game: "gomoku", Rule: "caro", Size: 15, Engine: "mcts", MaxVisits: 10, MaxNodes: 100},
		}
	}
	server, err := New(service, o)
	if err != nil {
		listener.Close()
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &site{t: t, server: server, addr: listener.Addr().String(), stop: stop, done: make(chan error, 1)}
	s.client = &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       time.Minute,
	}
	go func() { s.done <- server.Run(ctx, listener) }()
	t.Cleanup(func() {
		s.end()
		if err := nets.Close(); err != nil {
			t.Error(err)
		}
		goleak.VerifyNone(t, before)
	})
	return s
}

// end stops the server, unless it was stopped before.
func (s *site) end() {
	if s.done == nil {
		return
	}
	s.stop()
	if err := <-s.done; err != nil {
		s.t.Error(err)
	}
	s.done = nil
	s.client.CloseIdleConnections()
}

// request is what a visitor sends.
type request struct {
	method, path, body string
	header             map[string]string
	host               string
}

// reply is what comes back.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends a request and holds the reply against the description of the server.
func (s *site) send(r request) reply {
	s.t.Helper()
	if r.method == "" {
		r.method = http.MethodGet
	}
	req, err := http.NewRequest(r.method, "http://"+s.addr+r.path, strings.NewReader(r.body))
	if err != nil {
		s.t.Fatal(err)
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	if req.Host = r.host; r.host == "" {
		req.Host = s.addr
	}
	response, err := s.client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	got := reply{response.StatusCode, response.Header, string(body)}
	described.check(s.t, r, got)
	return got
}

// get is send for a path.
func (s *site) get(path string) reply { s.t.Helper(); return s.send(request{path: path}) }

// post is send for a body of a media type.
func (s *site) post(path, kind, body string) reply {
	s.t.Helper()
	return s.send(request{
		method: http.MethodPost, path: path, body: body, header: map[string]string{"Content-Type": kind},
	})
}

// socket opens a socket.
func (s *site) socket(header http.Header) (*websocket.Conn, *http.Response, error) {
	return websocket.Dial(context.Background(), "ws://"+s.addr+"/ws", &websocket.DialOptions{
		HTTPHeader: header, HTTPClient: s.client,
	})
}

// peer is a socket that is open.
type peer struct {
	t    testing.TB
	conn *websocket.Conn
}

// meet opens a socket that has to open.
func (s *site) meet() *peer {
	s.t.Helper()
	conn, _, err := s.socket(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	s.t.Cleanup(func() { conn.CloseNow() })
	return &peer{s.t, conn}
}

// say sends a message.
func (p *peer) say(text string) {
	p.t.Helper()
	if err := p.conn.Write(context.Background(), websocket.MessageText, []byte(text)); err != nil {
		p.t.Fatal(err)
	}
}

// hear returns the next message, which must be as the schema has it.
func (p *peer) hear() map[string]any {
	p.t.Helper()
	_, text, err := p.conn.Read(context.Background())
	if err != nil {
		p.t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = messageSchema.Validate(v)
	}
	var message map[string]any
	if err == nil {
		err = json.Unmarshal(text, &message)
	}
	if err != nil {
		p.t.Fatalf("%s\n%v", text, err)
	}
	return message
}

// messageSchema is that of what a socket says.
var messageSchema = compiled(analysis.Schema(), "schema.json", "#/$defs/message")

// compiled returns a part of a document as a schema.
func compiled(document []byte, name, part string) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		panic(err)
	}
	return c.MustCompile(name + part)
}

// errorOf returns the error, the code and the field of a reply.
func errorOf(t rapid.TB, r reply) (text string, code analysis.Code, field string) {
	t.Helper()
	var p board.Problem
	if err := json.Unmarshal([]byte(r.body), &p); err != nil {
		t.Fatalf("%s: %v", r.body, err)
	}
	return p.Error, p.Code, p.Field
}

// file writes a file of a test and returns its path.
func file(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// small are options of searches that end soon.
func small() analysis.Options {
	return analysis.Options{
		MaxVisits: 10, MaxNodes: 100, Tree: treeOf("memory=16,solver-leaf=100,solver-root=200,solver-replies=50"),
		Classical: players.NewAlphabeta(1), CacheMiB: 1, Workers: 2,
		Limits: analysis.Limits{
			Client: 100, Visits: 1_000_000, Nodes: 1_000_000, Solver: 1000, Every: 100 * time.Millisecond,
		},
	}
}

// treeOf returns settings of the tree search.
func treeOf(text string) engine.TreeSettings {
	spec, err := players.ParseSpec("mcts:" + text)
	if err != nil {
		panic(err)
	}
	s, err := players.ParseFixedTree(spec)
	if err != nil {
		panic(err)
	}
	return s.TreeSettings
}
