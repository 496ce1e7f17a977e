package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/players"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

// Clients take turns, whatever priorities and numbers of queries they have: while
// all of them have something waiting, no two differ by more than one task.
func TestClientsTakeTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newService(t, small())
		clients := rapid.IntRange(2, 5).Draw(t, "clients")
		var all []*Client
		left := map[*Client]int{}
		for i := range clients {
			c := s.Connect(func(any, bool) {})
			all = append(all, c)
			left[c] = rapid.IntRange(1, 9).Draw(t, "tasks")
			for range left[c] {
				c.Handle(fmt.Appendf(nil, `{"id":"q","priority":%d}`, rapid.IntRange(-9, 9).Draw(t, "priority")+100*i))
			}
		}
		taken := map[*Client]int{}
		var under []*task
		for len(s.clients) > 0 {
			next := s.taken()
			under = append(under, next)
			for _, c := range all {
				if waits := taken[c] < left[c]; waits && taken[c] < taken[next.client] {
					t.Fatalf("client with %d tasks goes before one with %d", taken[next.client], taken[c])
				}
			}
			taken[next.client]++
		}
		for _, task := range under {
			task.stop(nil)
			s.remove(task)
		}
		for _, c := range all {
			if taken[c] != left[c] || c.busy != 0 || c.Unanswered() != 0 {
				t.Fatalf("%d of %d tasks were taken, %d are under way", taken[c], left[c], c.busy)
			}
		}
	})
}

// endless is a query that no bound of its own ends.
const endless = `{"id":"endless","moves":["h8","i9","i8"],"maxVisits":1000000000,"reportDuringSearchEvery":0.001}`

// A search that goes on for ever is ended when another client waits, and answers
// with what it knows; alone it goes on.
func TestShare(t *testing.T) {
	o := small()
	o.Workers, o.Limits = 1, Limits{Share: time.Millisecond}
	s := newService(t, o)
	rude := meet(t, s, Finish)
	rude.say(endless)
	rude.hears(func(m message) bool { return m.IsDuringSearch })
	answered := make(chan message, 1)
	polite := s.Connect(func(m any, passing bool) {
		if !passing {
			answered <- parsed(t, string(Line(m)))
		}
	})
	polite.Handle([]byte(`{"id":"polite","maxVisits":2}`))
	if m := <-answered; m.ID != "polite" || m.NoResults || m.Shortened {
		t.Errorf("%s", m.text)
	}
	final := rude.hears(func(m message) bool { return !m.IsDuringSearch && m.Warning == "" })
	if !final.Shortened || final.NoResults || final.Opinion == nil {
		t.Errorf("%.300s", final.text)
	}
	if _, err := rude.end(); err != nil {
		t.Error(err)
	}
}

// A search is ended after as much time as the service gives to one, a job too.
func TestSearchTime(t *testing.T) {
	o := small()
	o.Limits = Limits{Search: time.Millisecond}
	if m := one(t, o, strings.Replace(endless, `,"reportDuringSearchEvery":0.001`, "", 1)); !m.Shortened ||
		m.Opinion == nil {
		t.Errorf("%.300s", m.text)
	}
	said := finals(t, o, `{"id":"s","action":"query_swap2","maxNodes":1000000000}`,
		`{"id":"o","action":"query_opening","count":64,"plies":[4,16],"tolerance":0}`,
		`{"id":"c","action":"query_certificate","moves":["h8","i9","i8","h9"],"maxNodes":1000000000}`)
	if string(said["s"]["noResults"]) != "true" || string(said["c"]["noResults"]) != "true" ||
		(string(said["o"]["noResults"]) == "true") == (said["o"]["openings"] != nil) {
		t.Errorf("%s", said)
	}
	for id, of := range said {
		if string(of["shortened"]) != "true" {
			t.Errorf("%s: %s", id, of)
		}
	}
}

// What waits or is under way is ended on request, jobs too, and answered once.
func TestTerminateJobs(t *testing.T) {
	s := newService(t, small())
	c, said := collected(s)
	c.Handle([]byte(`{"id":"s","action":"query_swap2"}`))
	c.Handle([]byte(`{"id":"o","action":"query_opening","priority":3}`))
	if c.Unanswered() != 2 || len(*said) != 0 {
		t.Fatalf("%v", *said)
	}
	c.Handle([]byte(`{"id":"t","action":"terminate","terminateId":"s"}`))
	c.Leave()
	if len(*said) != 3 || c.Unanswered() != 0 || s.held != 0 {
		t.Fatalf("%v", *said)
	}
	for i, want := range []string{`{"action":"query_swap2","id":"s","noResults":true}`,
		`{"action":"terminate","id":"t","terminateId":"s"}`,
		`{"action":"query_opening","id":"o","noResults":true,"priority":3}`} {
		line := string(Line((*said)[i]))
		if parsed(t, line); line != want+"\n" {
			t.Errorf("%s, want %s", line, want)
		}
	}
}

// A client has no more than its part of the queue, and what asks for too many
// answers on the way gets fewer.
func TestClientBounds(t *testing.T) {
	o := small()
	o.Limits = Limits{Client: 2, Every: time.Second}
	s := newService(t, o)
	first, firstSaid := collected(s)
	second, secondSaid := collected(s)
	for range 3 {
		first.Handle([]byte(`{"id":"a","reportDuringSearchEvery":0.001}`))
	}
	second.Handle([]byte(`{"id":"b"}`))
	if len(*firstSaid) != 1 || len(*secondSaid) != 0 || s.open != 3 {
		t.Errorf("%v, %v, %d open", *firstSaid, *secondSaid, s.open)
	}
	for task := range first.tasks {
		if task.query.Every != time.Second {
			t.Errorf("an answer every %v", task.query.Every)
		}
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The definitions of the schema, which every message of the tests is held against.
var (
	lineSchema    = compiled("line")
	messageSchema = compiled("message")
)

func compiled(definition string) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		panic(err)
	}
	return c.MustCompile("schema.json#/$defs/" + definition)
}

// conforms returns an error if a line is not what the schema says.
func conforms(s *jsonschema.Schema, line string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// message is whatever a service says.
type message struct {
	Answer
	Warning string           `json:"warning"`
	Action  string           `json:"action"`
	Version string           `json:"version"`
	Models  []map[string]any `json:"models"`
	text    string
}

// parsed reads a message, which must be as the schema says.
func parsed(t rapid.TB, line string) message {
	t.Helper()
	if err := conforms(messageSchema, line); err != nil {
		t.Fatalf("%s\n%v", line, err)
	}
	m := message{text: line}
	// An action is echoed with whatever else its peer has sent.
	var other *json.UnmarshalTypeError
	if err := json.Unmarshal([]byte(line), &m); err != nil && (m.Action == "" || !errors.As(err, &other)) {
		t.Fatalf("%s: %v", line, err)
	}
	return m
}

// ownNets returns networks without knowledge.
func ownNets() *networks.Nets {
	return networks.NewNets(networks.NewLoader(networks.LoaderOptions{Threads: 1}), networks.Uniform)
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

// small are options of searches that end soon.
func small() Options {
	return Options{
		MaxVisits: 30, MaxNodes: 1000, Tree: treeOf("memory=16,solver-leaf=100,solver-root=200,solver-replies=50"),
		Classical: players.NewAlphabeta(1), CacheMiB: 1,
		Version: "v1", Commit: "abc", Workers: 2,
	}
}

func newService(t rapid.TB, o Options) *Service {
	t.Helper()
	s, err := New(ownNets(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// talk returns what a service says to lines, all of which it takes in before the
// input ends.
func talk(t rapid.TB, o Options, lines ...string) []message {
	t.Helper()
	return talkTo(t, newService(t, o), lines...)
}

// talkTo is talk with a service.
func talkTo(t rapid.TB, s *Service, lines ...string) []message {
	t.Helper()
	var out bytes.Buffer
	if err := s.Serve(context.Background(), strings.NewReader(strings.Join(lines, "\n")), &out, Finish); err != nil {
		t.Fatal(err)
	}
	var messages []message
	for line := range strings.Lines(out.String()) {
		messages = append(messages, parsed(t, line))
	}
	return messages
}

// ask is talk with good queries, which get no problems but warnings.
func ask(t rapid.TB, o Options, lines ...string) (answers []message) {
	t.Helper()
	for _, line := range lines {
		if err := conforms(lineSchema, line); err != nil {
			t.Fatalf("%s\n%v", line, err)
		}
	}
	for _, m := range talk(t, o, lines...) {
		if m.Error != "" {
			t.Fatalf("%v: %s", lines, m.text)
		}
		if m.Warning == "" && m.Action == "" {
			answers = append(answers, m)
		}
	}
	return answers
}

// one is ask for the only answer to a query.
func one(t rapid.TB, o Options, line string) message {
	t.Helper()
	answers := ask(t, o, line)
	if len(answers) != 1 || answers[0].IsDuringSearch || answers[0].NoResults {
		t.Fatalf("%s: %+v", line, answers)
	}
	return answers[0]
}

// peer talks to a service that goes on.
type peer struct {
	t    *testing.T
	in   *io.PipeWriter
	mu   sync.Mutex
	said []message
	news chan struct{}
	done chan error
	stop context.CancelFunc
}

// meet begins a talk.
func meet(t *testing.T, s *Service, end End) *peer {
	ctx, stop := context.WithCancel(t.Context())
	in, w := io.Pipe()
	p := &peer{t: t, in: w, news: make(chan struct{}, 1), done: make(chan error, 1), stop: stop}
	go func() {
		err := s.Serve(ctx, in, p, end)
		in.Close() // nobody reads any more
		p.done <- err
	}()
	return p
}

// Write implements [io.Writer] for one message.
func (p *peer) Write(line []byte) (int, error) {
	if err := conforms(messageSchema, string(line)); err != nil {
		return 0, errors.New(string(line) + err.Error())
	}
	m := message{text: string(line)}
	if err := json.Unmarshal(line, &m); err != nil {
		return 0, err
	}
	p.mu.Lock()
	p.said = append(p.said, m)
	p.mu.Unlock()
	select {
	case p.news <- struct{}{}:
	default:
	}
	return len(line), nil
}

// say sends a line.
func (p *peer) say(line string) {
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// hears waits for a message.
func (p *peer) hears(want func(message) bool) message {
	for from := 0; ; <-p.news {
		p.mu.Lock()
		said := p.said[from:]
		p.mu.Unlock()
		from += len(said)
		for _, m := range said {
			if want(m) {
				return m
			}
		}
	}
}

// end closes the input and returns all that was said and the error of Serve.
func (p *peer) end() ([]message, error) {
	p.in.Close()
	err := <-p.done
	p.stop()
	return p.said, err
}

// taken returns the next task.
func (s *Service) taken() *task {
	t, _ := s.take(context.Background())
	return t
}
