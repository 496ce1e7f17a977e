package analysis

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/nn"
)

// Service analyses what its clients ask. Its methods are safe for concurrent use.
type Service struct {
	nets  *engine.Nets
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
func New(nets *engine.Nets, o Options) (*Service, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
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
			e := &engines{nets: s.nets, cache: s.cache, seed: s.opts.Seed}
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

// take waits for a task and begins it, with what ends it; nil when the service is
// over.
func (s *Service) take(stop context.CancelFunc) *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.over && len(s.queue) == 0 {
		s.wake.Wait()
	}
	if s.over {
		return nil
	}
	t := s.queue.next()
	t.state, t.stop = underWay, stop
	return t
}

// work does one task and gives its final answer. It returns false when the service
// is over.
func (s *Service) work(ctx context.Context, e *engines) bool {
	searching, cancel := context.WithCancel(ctx)
	defer cancel()
	t := s.take(cancel)
	if t == nil {
		return false
	}
	final := e.analyse(searching, t.query, t.turn, func(a *Answer) { t.client.answer(t, a, true) })
	if ctx.Err() != nil {
		return false
	}
	t.client.answer(t, final, false)
	s.finish(t)
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
	case s.open+len(q.Turns) > l.Tasks:
		return fmt.Errorf("%d positions wait and %d more are asked about: at most %d may; ask again later", s.open, len(q.Turns), l.Tasks)
	case s.held+bytes > l.Held:
		return fmt.Errorf("the queries that wait take %d MiB: at most %d may; ask again later", s.held>>20, l.Held>>20)
	}
	for i, turn := range q.Turns {
		s.arrived++
		t := &task{client: c, query: q, turn: turn, priority: q.Priority[i], number: s.arrived}
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
	for t := range c.tasks {
		switch {
		case !chosen(t):
		case t.state == queued:
			s.queue.withdraw(t)
			s.remove(t)
			waiting = append(waiting, t)
		case t.state == underWay:
			t.stop()
		}
	}
	return waiting
}

// wait returns when a client has no task left, or the service is over.
func (s *Service) wait(c *Client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(c.tasks) > 0 && !s.over {
		s.wake.Wait()
	}
}

// unanswered returns how many tasks of a client have no final answer yet.
func (s *Service) unanswered(c *Client) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(c.tasks)
}
