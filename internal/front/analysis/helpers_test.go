package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
)

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
func treeOf(text string) search.TreeSettings {
	s, err := players.ParseTreeSettings(text)
	if err != nil {
		panic(err)
	}
	return s
}

// small are options of searches that end soon.
func small() Options {
	return Options{
		MaxVisits: 30, MaxNodes: 1000, Tree: treeOf("memory=16,solver-leaf=100,solver-root=200,solver-replies=50"), Classical: players.DefaultClassicalSettings(1), CacheMiB: 1,
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
