package selfplay

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// finished is what a worker delivers: a finished game and its counts so far. Its last
// message has no game, but the number of games that it gave up.
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

// worker plays the games that it is dealt, several at a time, with one evaluator for
// each network.
type worker struct {
	number     int
	setup      *Setup
	opts       *Options
	deal       *dealer
	solver     mcts.Solver  // may be nil
	evaluators []*evaluator // none with a teacher
	past       nn.Stats     // of dropped evaluators
	teacher    Teacher      // nil without
	plays      []*play
	waiting    []*play
	deliver    func(finished) // may block
}

// evaluator is a worker's evaluator of one network.
type evaluator struct {
	network *openNetwork
	eval    nn.Evaluator
	plays   int // that use it
	waits   bool
}

// newWorker makes a worker with its own teacher, or its own evaluator, solver and
// searchers. With a teacher it plays one game after the other; else it keeps atOnce
// games under way, or as many as fit the evaluator's capacity.
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
	first, err := w.evaluatorOf(deal.roster.own)
	if err != nil {
		return nil, err
	}
	fit := first.eval.Capacity() / opts.Search.InFlight
	for range max(1, min(atOnce, fit, opts.Games)) {
		p := newPlay(setup, opts, nil, nil, enc)
		w.use(p, first)
		w.plays = append(w.plays, p)
	}
	return w, nil
}

// evaluatorOf returns the worker's evaluator of a network, which it makes if needed.
func (w *worker) evaluatorOf(n *openNetwork) (*evaluator, error) {
	for _, s := range w.evaluators {
		if s.network == n {
			return s, nil
		}
	}
	eval, err := n.Evaluator(w.number)
	if err != nil {
		return nil, err
	}
	s := &evaluator{network: n, eval: eval}
	w.evaluators = append(w.evaluators, s)
	return s, nil
}

// use makes a play without a game play its next one with an evaluator.
func (w *worker) use(p *play, s *evaluator) {
	p.evaluator = s
	s.plays++
	p.searcher, p.opening.balance = newTreeSearcher(w.opts, s.eval, w.solver), &netBalance{eval: s.eval}
}

// useNetwork makes a play use the network n for its next game. The dealer has counted
// the worker as a user of n once more. An evaluator that no play uses is dropped,
// except that of the run's own network.
func (w *worker) useNetwork(p *play, n *openNetwork) error {
	old := p.evaluator
	if old.network == n {
		return w.deal.release(n) // the worker was a user already
	}
	known := len(w.evaluators)
	s, err := w.evaluatorOf(n)
	if err != nil {
		return err
	}
	if len(w.evaluators) == known {
		if err := w.deal.release(n); err != nil {
			return err
		}
	}
	w.use(p, s)
	if old.plays--; old.plays > 0 || old.network == w.deal.roster.own {
		return nil
	}
	w.past = w.past.Plus(old.eval.Stats())
	w.evaluators = slices.DeleteFunc(w.evaluators, func(s *evaluator) bool { return s == old })
	return w.deal.release(old.network)
}

// work returns what the worker has counted so far.
func (w *worker) work() work {
	if w.teacher != nil {
		return work{nodes: w.teacher.Nodes()}
	}
	sum := w.past
	for _, s := range w.evaluators {
		sum = sum.Plus(s.eval.Stats())
	}
	return work{stats: sum}
}

// run plays all games of the worker. It returns early with the context's or
// the evaluator's error; games under way are lost then.
func (w *worker) run(ctx context.Context) error {
	for {
		seen := w.deal.changeCount()
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

// evaluate computes the positions that plays wait for.
func (w *worker) evaluate(ctx context.Context) error {
	for _, p := range w.waiting {
		p.evaluator.waits = true
	}
	for _, s := range w.evaluators {
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

// advance plays on p, through the ends and starts of games, until it waits for the
// evaluator, and reports whether it waits; if not, no game is left for it.
func (w *worker) advance(ctx context.Context, p *play) (waits bool, err error) {
	for {
		if waits, err = p.step(ctx); waits || err != nil {
			return waits, err
		}
		if p.phase == over {
			w.deliver(finished{worker: w.number, record: p.finish(), work: w.work()})
		}
		a, ok, err := w.deal.next(w.underWay())
		if !ok || err != nil {
			return false, err
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if p.evaluator != nil {
			err = w.useNetwork(p, a.network)
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

// dealer hands out games to workers. Any worker may play any game: the result does not
// depend on it.
type dealer struct {
	mu      sync.Mutex
	games   []int // ids, in order
	workers int
	roster  *roster

	open    bool          // games may still be added
	changes int           // number of changes that a worker without games waits for
	changed chan struct{} // closed by the next change; nil while nobody waits
}

// assignment is a game that a worker is to play.
type assignment struct {
	id      int
	network *openNetwork // the worker is a user of it
}

// next returns the next game for a worker with so many games under way. Towards the
// end it gives each worker no more than its share of the games left, so that workers
// end about one game apart; a worker that gets none asks again. While games may still
// be added it deals all that there are.
func (d *dealer) next(underWay int) (a assignment, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	share := (len(d.games) + d.workers - 1) / d.workers
	if len(d.games) == 0 || !d.open && underWay >= share {
		return a, false, nil
	}
	a.id = d.games[0]
	if a.network, err = d.roster.of(a.id); err != nil {
		return a, false, err
	}
	d.games = d.games[1:]
	return a, true, nil
}

// changeCount returns the number of changes so far, for wait.
func (d *dealer) changeCount() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.changes
}

// wait blocks a worker that has no game until there are more changes than seen. It
// returns false if no game will come any more, and the context's error if that ends.
func (d *dealer) wait(ctx context.Context, seen int) (bool, error) {
	d.mu.Lock()
	if !d.open || d.changes != seen {
		defer d.mu.Unlock()
		return d.open, nil
	}
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	changed := d.changed
	d.mu.Unlock()
	select {
	case <-changed:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// wake wakes the workers that wait. The caller holds the lock.
func (d *dealer) wake() {
	d.changes++
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
}

// release says that a worker has dropped its evaluator of n.
func (d *dealer) release(n *openNetwork) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.roster.release(n)
}
