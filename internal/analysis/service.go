// Package analysis answers queries about positions and whole games, many at once, as JSON
// objects, one a line, in the words of KataGo's analysis engine. A [Client] takes the lines of
// one peer (query.go, actions.go); a [Service] has its workers do what they ask for
// (analyse.go), clients in turn; [Service.Serve] connects a reader and a writer (serve.go). A
// final answer is a function of query and options alone, unless it was bounded in time.
package analysis

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/nn"
)

// Service analyses what its clients ask. Its methods are safe for concurrent use.
type Service struct {
	nets  *networks.Nets
	cache *nn.CacheTable // nil: none
	opts  Options

	mu      sync.Mutex
	wake    *sync.Cond // a task came, one was done, or the service is over
	clients []*Client  // that have tasks waiting
	open    int        // tasks without a final answer
	held    int        // bytes of their queries
	arrived uint64     // tasks that came so far
	turns   uint64     // tasks that were taken so far
	over    bool
}

// New returns a service whose networks nets opens, which stays the caller's. It
// fails where an option makes no sense.
func New(nets *networks.Nets, o Options) (*Service, error) {
	s := &Service{nets: nets, opts: o.withDefaults()}
	s.wake = sync.NewCond(&s.mu)
	if o.CacheMiB > 0 {
		most := int(option.BoardSize.Max)
		s.cache = nn.NewCacheTable(o.CacheMiB<<20, most*most)
	}
	return s, nil
}

// Client is one peer of a service. Its lines are handled by one goroutine; answers
// come from any.
type Client struct {
	service *Service
	send    func(message any, passing bool)

	// Of the service's lock.
	tasks   map[*task]struct{} // without a final answer
	waiting []*task            // of them, those that nobody has begun, the most urgent first
	busy    int                // of them, those under way
	ending  bool               // one of them was ended for another client
	served  uint64             // the turn at which the last one was taken
}

// Connect returns a new client. send is given every message to it: an [Answer], a
// [Problem], or the echo of an action, all of which have a JSON form. It may block,
// is called by several goroutines at a time, and may drop what is passing: answers
// on the way to a final one.
func (s *Service) Connect(send func(message any, passing bool)) *Client {
	return &Client{service: s, send: send, tasks: map[*task]struct{}{}}
}

// Handle does what a line says, which must not be longer than Limits.Line. Lines
// without anything on them are left out.
func (c *Client) Handle(line []byte) {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return
	}
	var of map[string]json.RawMessage
	err := json.Unmarshal(line, &of)
	id := ""
	switch {
	case err != nil && line[0] == '{':
		c.send(&Problem{Code: Malformed, Error: "want a JSON object on a line: " + err.Error()}, false)
	case line[0] != '{':
		c.send(&Problem{Code: Malformed, Error: "want a JSON object on a line, found " + found(line)}, false)
	case !isText(of["id"], &id):
		c.send(&Problem{Code: Invalid, Error: `every line needs an "id", a string`, Field: "id"}, false)
	case len(id) > mostID:
		c.send(&Problem{Code: TooBig, Error: "the id is too long", Field: "id"}, false)
	case of["action"] != nil: // known or not
		c.act(id, of, len(line))
	default:
		c.ask(id, of, len(line))
	}
}

// ask takes in a query.
func (c *Client) ask(id string, of map[string]json.RawMessage, size int) {
	q, warnings, wrong := parseQuery(id, of, size, &c.service.opts)
	for i := range warnings {
		c.send(&warnings[i], false)
	}
	if wrong == nil {
		wrong = c.service.accept(c, q)
	}
	if wrong != nil {
		c.send(wrong, false)
	}
}

// terminate ends the tasks that are chosen; those that nobody has begun are answered here, in
// the order of arrival, the others answer for themselves.
func (c *Client) terminate(chosen func(*task) bool) {
	s := c.service
	s.mu.Lock()
	var dropped []*task
	c.waiting = slices.DeleteFunc(c.waiting, func(t *task) bool {
		if chosen(t) {
			dropped = append(dropped, t)
			return true
		}
		return false
	})
	s.forget(c)
	for t := range c.tasks {
		if t.stop != nil && chosen(t) {
			t.stop(nil)
		}
	}
	for _, t := range dropped {
		s.remove(t)
	}
	s.mu.Unlock()
	slices.SortFunc(dropped, func(a, b *task) int { return cmp.Compare(a.number, b.number) })
	for _, t := range dropped {
		c.send(t.nothing("", ""), false)
	}
}

// Wait returns when everything that was asked has its final answer, or the service
// is over.
func (c *Client) Wait() {
	s := c.service
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(c.tasks) > 0 && !s.over {
		s.wake.Wait()
	}
}

// Unanswered returns how many turns have no final answer yet.
func (c *Client) Unanswered() int {
	c.service.mu.Lock()
	defer c.service.mu.Unlock()
	return len(c.tasks)
}

// Leave ends all that the client has asked; what is told of it goes to send as
// ever.
func (c *Client) Leave() { c.terminate(func(*task) bool { return true }) }

// task is a turn of a query that was accepted, or the job of an action. Its state
// belongs to the service's lock.
type task struct {
	client *Client
	query  *Query
	turn   int
	number uint64 // in the order of arrival

	stop context.CancelCauseFunc // ends the work; nil: nobody has begun it
}

// nothing is the answer to a task without results, for a reason if it has a code.
func (t *task) nothing(code Code, reason string) any {
	switch {
	case t.query.job == nil:
		return &Answer{ID: t.query.ID, TurnNumber: t.turn, NoResults: true, Code: code, Error: reason}
	case code != "":
		return &Problem{Code: code, Error: reason, ID: &t.query.ID}
	}
	return t.query.job.answer(nil, false)
}

// job is an action that takes time. It stands in the queue as a query does, and is
// answered once: by its own fields with what was found.
type job struct {
	echo map[string]json.RawMessage

	// do finds out and returns the fields to add. When ctx ends it returns those
	// that are known by then, nil for none; they are told if the service ended it.
	do func(ctx context.Context, w *worker) (map[string]any, error)
}

// answer returns the echo with what was found, nil for nothing, and says whether the service
// ended the job.
func (j *job) answer(found map[string]any, shortened bool) any {
	said := maps.Clone(j.echo)
	if found == nil {
		said["noResults"] = encoded(true)
	}
	if shortened {
		said["shortened"] = encoded(true)
	}
	for name, value := range found {
		said[name] = encoded(value)
	}
	return said
}

// Run works on tasks until ctx ends, and joins its workers. Searches that are under
// way then are ended without an answer. The end of ctx is no error.
func (s *Service) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	errs := make([]error, s.opts.Workers)
	for i := range s.opts.Workers {
		workers.Go(func() {
			w := &worker{nets: s.nets, cache: s.cache, opts: &s.opts}
			for s.work(ctx, w) {
			}
			errs[i] = w.close()
		})
	}
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.over = true
		s.wake.Broadcast()
	})
	defer stop()
	workers.Wait()
	return errors.Join(errs...)
}

// errShortened is why work ends that has taken as long as the service gives to it.
var errShortened = errors.New("the service has ended it")

// work waits for a task, does it and gives its final answer. It returns false when the
// service is over.
func (s *Service) work(ctx context.Context, w *worker) bool {
	t, working := s.take(ctx)
	if t == nil {
		return false
	}
	defer t.stop(nil)
	if most := s.opts.Limits.Search; most > 0 {
		bounded, cancel := context.WithTimeoutCause(working, most, errShortened)
		defer cancel()
		working = bounded
	}
	stop := s.share(working, t)
	said := s.do(s.opts.Searching(working), w, t)
	if stop(); ctx.Err() != nil {
		return false
	}
	t.client.send(said, false)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(t)
	return true
}

// do does a task and returns its final answer. A panic of an engine is an error, since other
// peers' tasks go on; nobody knows in what state it left the worker's engines.
func (s *Service) do(ctx context.Context, w *worker, t *task) (said any) {
	q := t.query
	defer func() {
		if r := recover(); r != nil {
			w.tree, w.classical = kept{}, kept{}
			said = t.nothing(Internal, fmt.Sprintf("internal error: %v", r))
		}
	}()
	if q.job == nil {
		final := w.analyse(ctx, q, t.turn, func(a *Answer) { t.client.send(a, true) })
		final.Shortened = context.Cause(ctx) == errShortened
		return final
	}
	found, err := q.job.do(ctx, w)
	shortened := context.Cause(ctx) == errShortened
	switch {
	case err != nil && ctx.Err() == nil:
		return t.nothing(Failed, err.Error())
	case ctx.Err() != nil && !shortened:
		found = nil // its client has terminated it
	}
	return q.job.answer(found, shortened)
}

// queryBytes is what a query takes beside its text: positions and moves. taskBytes is what a
// task takes while it waits.
const (
	queryBytes = 16 << 10
	taskBytes  = 256
)

// accept puts the turns of a query into the queue, or says why there is no room.
func (s *Service) accept(c *Client, q *Query) *Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &s.opts.Limits
	busy := func(format string, args ...any) *Problem {
		return &Problem{Code: Busy, Error: fmt.Sprintf(format+" may; ask again later", args...), ID: &q.ID}
	}
	q.left, q.bytes = len(q.Turns), q.bytes+taskBytes*len(q.Turns)
	switch {
	case q.left == 0:
		return nil // nothing is asked, and nothing answered
	case l.Client > 0 && len(c.tasks)+q.left > l.Client:
		return busy("%d positions of yours wait and %d more are asked about: at most %d", len(c.tasks), q.left, l.Client)
	case s.open+q.left > l.Tasks:
		return busy("%d positions wait and %d more are asked about: at most %d", s.open, q.left, l.Tasks)
	case s.held+q.bytes > l.Held:
		return busy("the queries that wait take %d MiB: at most %d", s.held>>20, l.Held>>20)
	}
	if len(c.waiting) == 0 {
		s.clients = append(s.clients, c)
	}
	for _, turn := range q.Turns {
		s.arrived++
		t := &task{client: c, query: q, turn: turn, number: s.arrived}
		c.tasks[t] = struct{}{}
		i, _ := slices.BinarySearchFunc(c.waiting, t, func(a, b *task) int {
			return cmp.Or(cmp.Compare(b.query.Priority, a.query.Priority), cmp.Compare(a.number, b.number))
		})
		c.waiting = slices.Insert(c.waiting, i, t)
	}
	s.open += q.left
	s.held += q.bytes
	s.wake.Broadcast()
	return nil
}

// take waits for a task and begins it; nil when the service is over. Clients take turns: the
// task is of the client that has the fewest under way, and of those of the one that has waited
// longest for its turn; of one client it is the most urgent.
func (s *Service) take(ctx context.Context) (*task, context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.over && len(s.clients) == 0 {
		s.wake.Wait()
	}
	if s.over {
		return nil, nil
	}
	c := slices.MinFunc(s.clients, func(a, b *Client) int {
		return cmp.Or(cmp.Compare(a.busy, b.busy), cmp.Compare(a.served, b.served))
	})
	s.turns++
	c.busy, c.served = c.busy+1, s.turns
	t := c.waiting[0]
	c.waiting[0], c.waiting = nil, c.waiting[1:]
	s.forget(c)
	ctx, t.stop = context.WithCancelCause(ctx)
	return t, ctx
}

// share has a task end that has taken its share of the time, once a client waits that has less
// under way; of several tasks of a client one ends at a time. The task's work calls stop.
func (s *Service) share(working context.Context, t *task) (stop func() bool) {
	share := s.opts.Limits.Share
	if share == 0 {
		return func() bool { return true }
	}
	s.mu.Lock() // until watch is there
	defer s.mu.Unlock()
	var watch *time.Timer
	watch = time.AfterFunc(share, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		c := t.client
		switch {
		case working.Err() != nil:
		case !c.ending && slices.ContainsFunc(s.clients, func(other *Client) bool { return other.busy < c.busy }):
			c.ending = true
			t.stop(errShortened)
		default:
			watch.Reset(share / 8)
		}
	})
	return watch.Stop
}

// remove takes note that a task has its final answer, or gets it from whoever calls.
func (s *Service) remove(t *task) {
	c := t.client
	if delete(c.tasks, t); t.stop != nil {
		c.busy--
		c.ending = false
	}
	s.open--
	if t.query.left--; t.query.left == 0 {
		s.held -= t.query.bytes
	}
	s.wake.Broadcast()
}

// forget drops a client that has nothing waiting any more.
func (s *Service) forget(c *Client) {
	if len(c.waiting) == 0 {
		s.clients = slices.DeleteFunc(s.clients, func(other *Client) bool { return other == c })
	}
}
