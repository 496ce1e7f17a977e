package selfplay

import (
	"context"
	"fmt"
	"slices"

	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// finished is what a worker hands over: a game that is over, and what it has
// counted so far; and in the end, without a game, how many it gave up.
type finished struct {
	worker int
	record *samples.Record
	work   work
	lost   int
}

// work is what a worker has counted.
type work struct {
	stats nn.Stats // of its evaluator
	nodes int64    // of its teacher
}

// worker plays the games that it is dealt, several at a time over one evaluator, or
// over one for each network that they are played with.
type worker struct {
	number  int
	setup   *Setup
	opts    *Options
	deal    *dealer
	solver  mcts.Solver // may be nil
	seats   []*seat     // none with a teacher
	past    nn.Stats    // of evaluators that are not in use any more
	teacher Teacher     // nil without
	plays   []*play
	waiting []*play
	deliver func(finished) // may block
}

// seat is a worker's evaluator of one network.
type seat struct {
	network *seated
	eval    nn.Evaluator
	plays   int // that use it
	waits   bool
}

// newWorker makes the worker's own parts: a teacher, or evaluator, solver and
// searchers. With a teacher it plays one game after the other; else it keeps
// atOnce games under way, fewer if they do not fit the evaluator.
func newWorker(number int, setup *Setup, opts *Options, deal *dealer, atOnce int, deliver func(finished)) (*worker, error) {
	w := &worker{number: number, setup: setup, opts: opts, deal: deal, deliver: deliver}
	enc := setup.Encoder.Clone()
	var err error
	if setup.Teacher != nil {
		if w.teacher, err = setup.Teacher(number); err != nil {
			return nil, err
		}
		w.plays = []*play{newPlay(setup, opts, newTeacherSearcher(&opts.Teacher, w.teacher), &teacherBalance{teacher: w.teacher}, enc)}
		return w, nil
	}
	if setup.Solver != nil {
		w.solver = setup.Solver(number)
	}
	first, err := w.seat(deal.roster.own)
	if err != nil {
		return nil, err
	}
	fit := first.eval.Capacity() / opts.Search.InFlight
	for range max(1, min(atOnce, fit, opts.Games)) {
		p := newPlay(setup, opts, nil, nil, enc)
		w.sit(p, first)
		w.plays = append(w.plays, p)
	}
	return w, nil
}

// seat returns the worker's seat of a network, which it makes if need be.
func (w *worker) seat(n *seated) (*seat, error) {
	for _, s := range w.seats {
		if s.network == n {
			return s, nil
		}
	}
	eval, err := n.Evaluator(w.number)
	if err != nil {
		return nil, err
	}
	s := &seat{network: n, eval: eval}
	w.seats = append(w.seats, s)
	return s, nil
}

// sit lets a play without a game play its next one with the network of a seat.
func (w *worker) sit(p *play, s *seat) {
	p.seat = s
	s.plays++
	p.searcher, p.opening.balance = newTreeSearcher(w.opts, s.eval, w.solver), &netBalance{eval: s.eval}
}

// move seats a play for a game with the network n, of which the dealer has made the
// worker a user once more. A seat that nobody uses is given up, but for that of the
// run's own network.
func (w *worker) move(p *play, n *seated) error {
	old := p.seat
	if old.network == n {
		return w.deal.leave(n) // it is one already
	}
	known := len(w.seats)
	s, err := w.seat(n)
	if err != nil {
		return err
	}
	if len(w.seats) == known {
		if err := w.deal.leave(n); err != nil {
			return err
		}
	}
	w.sit(p, s)
	if old.plays--; old.plays > 0 || old.network == w.deal.roster.own {
		return nil
	}
	w.past = w.past.Plus(old.eval.Stats())
	w.seats = slices.DeleteFunc(w.seats, func(s *seat) bool { return s == old })
	return w.deal.leave(old.network)
}

// work returns what the worker has counted so far.
func (w *worker) work() work {
	if w.teacher != nil {
		return work{nodes: w.teacher.Nodes()}
	}
	sum := w.past
	for _, s := range w.seats {
		sum = sum.Plus(s.eval.Stats())
	}
	return work{stats: sum}
}

// run plays all games of the worker. It returns early with the context's or
// the evaluator's error; games under way are lost then.
func (w *worker) run(ctx context.Context) error {
	for {
		seen := w.deal.seen()
		w.waiting = w.waiting[:0]
		for _, p := range w.plays {
			waits, err := w.advance(ctx, p)
			if err != nil {
				return err
			}
			if waits {
				w.waiting = append(w.waiting, p)
			}
		}
		if len(w.waiting) == 0 {
			if more, err := w.deal.wait(ctx, seen); !more || err != nil {
				return err
			}
			continue
		}
		if err := w.evaluate(ctx); err != nil {
			return fmt.Errorf("selfplay: evaluation: %w", err)
		}
		for _, p := range w.waiting {
			p.absorb()
		}
	}
}

// evaluate computes the positions that wait.
func (w *worker) evaluate(ctx context.Context) error {
	for _, p := range w.waiting {
		p.seat.waits = true
	}
	for _, s := range w.seats {
		if !s.waits {
			continue
		}
		s.waits = false
		if err := s.eval.Wait(ctx, nn.All); err != nil {
			return err
		}
	}
	return nil
}

// advance brings p to where it waits for the evaluator, through the ends of
// games and the starts of others, and reports whether it waits; if not, no
// game is left for it.
func (w *worker) advance(ctx context.Context, p *play) (waits bool, err error) {
	for {
		if waits, err = p.step(ctx); waits || err != nil {
			return waits, err
		}
		if p.phase == over {
			record := p.finish()
			w.deal.finished(&record.Game)
			w.deliver(finished{worker: w.number, record: record, work: w.work()})
		}
		a, ok, err := w.deal.next(w.underWay())
		if !ok || err != nil {
			return false, err
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if p.seat != nil {
			err = w.move(p, a.network)
		}
		if err == nil {
			err = p.newGame(a)
		}
		if err != nil {
			return false, fmt.Errorf("game %d: %w", a.id, err)
		}
	}
}

// underWay returns how many games have begun and are not over.
func (w *worker) underWay() (n int) {
	for _, p := range w.plays {
		if p.phase != idle && p.phase != over {
			n++
		}
	}
	return n
}
