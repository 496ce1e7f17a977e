package analysis

import (
	"context"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// After the answer to a query with Ponder, the worker that has searched goes on about the
// position after its move, until its client asks for the next move, which that worker then
// gets, leaves or terminates the query, until another task needs the worker, or until
// Limits.Ponder is over. So there are never more searches at once than workers, and who
// ponders keeps nobody waiting.

// afterthought is what an answer has left to ponder on.
type afterthought struct {
	engine engine.Engine
	pos    game.Position
}

// pondering is a worker that ponders, or is about to. It belongs to the service's lock.
type pondering struct {
	task  *task              // that was answered
	ctx   context.Context    // of the service
	stop  context.CancelFunc // nil: it has not begun
	ended bool

	next      *task // of the same client; nil: none came
	searching context.Context
}

// end has the pondering end at once, also before it has begun.
func (p *pondering) end() {
	p.ended = true
	if p.stop != nil {
		p.stop()
	}
}

// ponder thinks on after the answer to a task, if [Service.finish] has settled that. It
// returns the task that is to follow at once, with the context of its search; nil for none.
func (s *Service) ponder(ctx context.Context, e *engines, t *task) (next *task, searching context.Context) {
	thinking, stop := context.WithTimeout(ctx, s.opts.Limits.Ponder)
	defer stop()
	s.mu.Lock()
	i := slices.IndexFunc(s.ponders, func(p *pondering) bool { return p.task == t })
	if i < 0 {
		s.mu.Unlock()
		return nil, nil
	}
	p := s.ponders[i]
	if p.stop = stop; p.ended {
		stop()
	}
	s.mu.Unlock()
	e.thinkOn(thinking)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ponders = slices.DeleteFunc(s.ponders, func(q *pondering) bool { return q == p })
	return p.next, p.searching
}

// thinkOn ponders until ctx ends, also where nothing is left to find out: so the engine
// stays its client's. A panic of the engine is for the next task to tell of.
func (e *engines) thinkOn(ctx context.Context) {
	defer func() {
		if recover() != nil {
			e.drop()
		}
	}()
	if ctx.Err() == nil {
		e.after.engine.Ponder(ctx, e.after.pos)
	}
	<-ctx.Done()
}

// handOver gives a task of a game to the worker that ponders on that game, and reports
// whether there is one.
func (s *Service) handOver(t *task) bool {
	for _, p := range s.ponders {
		if p.task.client == t.client && t.query.Ponder && !p.ended {
			s.queue.began(t.client)
			p.next, p.searching = t, t.begin(p.ctx)
			p.end()
			return true
		}
	}
	return false
}

// interrupt ends as many ponderings as tasks wait beside those that idle workers take, those
// of the client c first, and then the oldest.
func (s *Service) interrupt(c *Client) {
	more := s.queue.waiting() - s.idle
	for _, p := range s.ponders {
		if p.ended && p.next == nil {
			more-- // it is about to be idle
		}
	}
	for _, own := range []bool{true, false} {
		for _, p := range s.ponders {
			if more > 0 && !p.ended && own == (p.task.client == c) {
				p.end()
				more--
			}
		}
	}
}
