package analysis

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/carozero/carozero/internal/games"
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
	queue   queue
	open    int // tasks without a final answer
	held    int // bytes of their queries
	arrived uint64
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

// Run works on tasks until ctx ends, and joins its workers. Searches that are under
// way then are ended without an answer. The end of ctx is no error.
func (s *Service) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	errs := make([]error, s.opts.Workers)
	for i := range s.opts.Workers {
		workers.Go(func() {
			e := &engines{nets: s.nets, cache: s.cache, seed: s.opts.Seed, book: s.opts.Book,
				endgames: s.opts.Tree.Endgames, searching: s.opts.Searching}
			for s.work(ctx, e) {
			}
			errs[i] = e.close()
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

// take waits for a task and begins it; nil when the service is over.
func (s *Service) take(ctx context.Context) (*task, context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.over && s.queue.empty() {
		s.wake.Wait()
	}
	if s.over {
		return nil, nil
	}
	t := s.queue.next()
	t.state = underWay
	searching, stop := context.WithCancel(ctx)
	t.stop = stop
	return t, searching
}

// work waits for a task, does it and gives its final answer. It returns false when the
// service is over.
func (s *Service) work(ctx context.Context, e *engines) bool {
	t, searching := s.take(ctx)
	if t == nil {
		return false
	}
	defer t.stop()
	shortened := s.shorten(searching, t)
	var said any
	if t.query.job != nil {
		said = e.perform(searching, t.query, shortened)
	} else {
		final := e.analyse(searching, t.query, t.turn, func(a *Answer) { t.client.answer(t, a, true) })
		final.ID, final.TurnNumber, final.Shortened = t.query.ID, t.turn, shortened()
		said = final
	}
	shortened()
	if ctx.Err() != nil {
		return false
	}
	t.client.send(said, false)
	s.finish(t)
	return true
}

// shorten ends a task that takes longer than the service gives to one, or than its
// share while others wait. What it returns stops that, and tells whether it came to
// it.
func (s *Service) shorten(ctx context.Context, t *task) (stop func() bool) {
	l := &s.opts.Limits
	if l.Search == 0 && l.Share == 0 {
		return func() bool { return false }
	}
	watching, cancel := context.WithCancel(ctx)
	ended := make(chan bool, 1)
	go func() { ended <- s.watch(watching, t) }()
	return sync.OnceValue(func() bool {
		cancel()
		return <-ended
	})
}

// watch stops a task when its time is over, which it reports, or returns when ctx
// ends.
func (s *Service) watch(ctx context.Context, t *task) bool {
	l := &s.opts.Limits
	var end, share <-chan time.Time
	if l.Search > 0 {
		timer := time.NewTimer(l.Search)
		defer timer.Stop()
		end = timer.C
	}
	if l.Share > 0 {
		timer := time.NewTimer(l.Share)
		defer timer.Stop()
		share = timer.C
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-end:
			s.halt(t)
			return true
		case <-share:
			if s.owed(t) {
				return true
			}
			share = time.After(l.Share / 8)
		}
	}
}

// halt ends a task that is under way.
func (s *Service) halt(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.state == underWay {
		t.stop()
	}
}

// owed ends a task that is under way if another client waits for its turn, and
// reports whether it did. Of several tasks of a client one is ended at a time.
func (s *Service) owed(t *task) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.state != underWay || t.client.ending || !s.queue.owed(t.client) {
		return false
	}
	t.client.ending = true
	t.stop()
	return true
}

// accept puts the turns of a query into the queue, or says why there is no room.
func (s *Service) accept(c *Client, q *Query) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &s.opts.Limits
	bytes := q.bytes + taskBytes*len(q.Turns)
	switch {
	case len(q.Turns) == 0:
		return nil // nothing is asked, and nothing answered
	case l.Client > 0 && len(c.tasks)+len(q.Turns) > l.Client:
		return fmt.Errorf("%d positions of yours wait and %d more are asked about: at most %d may; ask again later",
			len(c.tasks), len(q.Turns), l.Client)
	case s.open+len(q.Turns) > l.Tasks:
		return fmt.Errorf("%d positions wait and %d more are asked about: at most %d may; ask again later",
			s.open, len(q.Turns), l.Tasks)
	case s.held+bytes > l.Held:
		return fmt.Errorf("the queries that wait take %d MiB: at most %d may; ask again later", s.held>>20, l.Held>>20)
	}
	for _, turn := range q.Turns {
		s.arrived++
		t := &task{client: c, query: q, turn: turn, priority: q.Priority, number: s.arrived}
		c.tasks[t] = struct{}{}
		s.queue.add(t)
	}
	q.left, q.bytes = len(q.Turns), bytes
	s.open += len(q.Turns)
	s.held += bytes
	s.wake.Broadcast()
	return nil
}

// finish takes note that a task has its final answer.
func (s *Service) finish(t *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(t)
}

// remove is finish with the lock held.
func (s *Service) remove(t *task) {
	if _, ok := t.client.tasks[t]; !ok {
		return
	}
	delete(t.client.tasks, t)
	if t.state == underWay {
		t.client.busy--
		t.client.ending = false
	}
	t.state = done
	s.open--
	if t.query.left--; t.query.left == 0 {
		s.held -= t.query.bytes
	}
	s.wake.Broadcast()
}

// terminate ends a client's tasks that are chosen. It returns those that nobody had
// begun, which are the caller's to answer; the others answer for themselves.
func (s *Service) terminate(c *Client, chosen func(*task) bool) (waiting []*task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting = s.queue.withdraw(c, chosen)
	for _, t := range waiting {
		s.remove(t)
	}
	for t := range c.tasks {
		if t.state == underWay && chosen(t) {
			t.stop()
		}
	}
	return waiting
}

// job is an action that takes time. It stands in the queue as a query does, and is
// answered once: by its own fields with what was found.
type job struct {
	action Action
	echo   map[string]json.RawMessage

	// do finds out and returns the fields to add. When ctx ends it returns those
	// that are known by then, nil for none; they are told if the service ended it.
	do func(ctx context.Context, e *engines) (map[string]any, error)
}

// dropped returns the answer to a job of which nothing is known.
func (j *job) dropped() any { return j.with(nil, false) }

// with returns the echo with more fields, and says whether the service ended the job.
func (j *job) with(found map[string]any, shortened bool) any {
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

// perform does a job and returns what to say; shortened is asked once that is done. A panic
// of an engine is an error, since other peers' tasks go on.
func (e *engines) perform(ctx context.Context, q *Query, shortened func() bool) (said any) {
	defer func() {
		if r := recover(); r != nil {
			e.drop()
			said = &Problem{Code: Internal, Error: fmt.Sprintf("internal error: %v", r), ID: &q.ID}
		}
	}()
	found, err := q.job.do(e.waking(ctx), e)
	ended, cut := ctx.Err() != nil, shortened()
	if err != nil && !ended {
		return &Problem{Code: Failed, Error: err.Error(), ID: &q.ID}
	}
	if ended && !cut {
		found = nil // its client has terminated it
	}
	return q.job.with(found, cut)
}

// drop forgets engines in what state nobody knows.
func (e *engines) drop() {
	e.tree, e.classical, e.prover, e.proves = nil, nil, nil, games.Variant{}
}

// enqueue puts a job about a game into the queue.
func (c *Client) enqueue(id string, a Action, f *fields, q *Query, size int,
	do func(context.Context, *engines) (map[string]any, error)) {
	if whole(f, "priority", -mostPriority, mostPriority, &q.Priority); f.wrong != nil {
		return
	}
	q.ID, q.bytes = id, size+queryBytes
	q.Turns = []int{len(q.Moves)}
	q.job = &job{action: a, echo: f.of, do: do}
	if err := c.service.accept(c, q); err != nil {
		f.wrong = &Problem{Code: Busy, Error: err.Error()}
	}
}

// task is a turn of a query that was accepted, or the work of an action. Its state
// belongs to the queue's lock.
type task struct {
	client   *Client
	query    *Query
	turn     int
	priority int64
	number   uint64 // in the order of arrival

	state taskState
	stop  context.CancelFunc // ends the search; while it is under way
}

// taskState is how far a task is.
type taskState uint8

const (
	queued taskState = iota
	underWay
	done // its final answer was given, or is about to be by whoever set this
)

// queue holds the tasks that nobody has begun, those of each client by urgency.
// Clients take turns: the next task is one of the client that has the fewest under
// way, and of those of the one that has waited longest for its turn. Its owner's
// lock is held.
type queue struct {
	clients []*Client // that have tasks waiting
	turns   uint64    // tasks that were taken so far
}

// add puts a task in.
func (q *queue) add(t *task) {
	if len(t.client.waiting) == 0 {
		q.clients = append(q.clients, t.client)
	}
	at, _ := slices.BinarySearchFunc(t.client.waiting, t, byUrgency)
	t.client.waiting = slices.Insert(t.client.waiting, at, t)
}

// empty reports whether no task waits.
func (q *queue) empty() bool { return len(q.clients) == 0 }

// next takes the task out whose turn it is; there is one.
func (q *queue) next() *task {
	c := slices.MinFunc(q.clients, func(a, b *Client) int {
		if a.busy != b.busy {
			return a.busy - b.busy
		}
		return int(int64(a.served) - int64(b.served))
	})
	q.turns++
	c.busy++
	c.served = q.turns
	t := c.waiting[0]
	c.waiting[0], c.waiting = nil, c.waiting[1:]
	q.forget(c)
	return t
}

// withdraw takes the tasks of a client out that are chosen.
func (q *queue) withdraw(c *Client, chosen func(*task) bool) (out []*task) {
	c.waiting = slices.DeleteFunc(c.waiting, func(t *task) bool {
		if chosen(t) {
			out = append(out, t)
			return true
		}
		return false
	})
	q.forget(c)
	return out
}

// forget drops a client that has nothing waiting any more.
func (q *queue) forget(c *Client) {
	if len(c.waiting) > 0 {
		return
	}
	if i := slices.Index(q.clients, c); i >= 0 {
		q.clients = slices.Delete(q.clients, i, i+1)
	}
}

// owed reports whether a client that has less under way than c waits for its turn.
func (q *queue) owed(c *Client) bool {
	return slices.ContainsFunc(q.clients, func(other *Client) bool { return other != c && other.busy < c.busy })
}

// byUrgency orders tasks by priority, and then by arrival.
func byUrgency(a, b *task) int {
	return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(a.number, b.number))
}
