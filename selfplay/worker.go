package selfplay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// finished is what a worker delivers: a finished game and its counts so far. Its last
// message has no game, but the number of games that it gave up.
type finished struct {
	worker int
	record *samples.Record
	stats  nn.Stats // of its evaluators
	nodes  int64    // of its Labeler
	lost   int
}

// worker plays the games that it is dealt on one goroutine. Each of its games is a coroutine
// that runs until it needs the evaluator's answers; when all games wait, the worker has them
// computed, with one evaluator for each network.
type worker struct {
	number     int
	setup      *Setup
	opts       *Options
	deal       *dealer
	solver     mcts.Solver  // may be nil
	evaluators []*evaluator // none with a Labeler
	past       nn.Stats     // of dropped evaluators
	labeler    Labeler      // nil without
	slots      int          // games at once
	underWay   int          // games that have begun and are not over
	deliver    func(finished)
}

// evaluator is a worker's evaluator of one network.
type evaluator struct {
	network *openNetwork
	eval    nn.Evaluator
	games   int  // that use it
	waits   bool // one of them waits
}

// newWorker makes a worker with its own Labeler, or its own evaluator and solver. With a
// Labeler it plays one game after the other; else it keeps atOnce games under way, or as
// many as fit the evaluator's capacity. deliver may block.
func newWorker(
	number int, setup *Setup, opts *Options, deal *dealer, atOnce int, deliver func(finished),
) (*worker, error) {
	w := &worker{number: number, setup: setup, opts: opts, deal: deal, slots: 1, deliver: deliver}
	var err error
	if setup.Labeler != nil {
		w.labeler, err = setup.Labeler(number)
		return w, err
	}
	if setup.Solver != nil {
		w.solver = setup.Solver(number)
	}
	own, err := w.evaluatorOf(deal.networks.own)
	if err == nil {
		w.slots = max(1, min(atOnce, own.eval.Capacity()/opts.Search.InFlight, opts.Games))
	}
	return w, err
}

// evaluatorOf returns the worker's evaluator of a network that it was dealt a game of. For a
// new one it drops those that no game uses, except that of the run's own network.
func (w *worker) evaluatorOf(n *openNetwork) (*evaluator, error) {
	if i := slices.IndexFunc(w.evaluators, func(e *evaluator) bool { return e.network == n }); i >= 0 {
		return w.evaluators[i], w.deal.release(n) // the worker uses it already
	}
	eval, err := n.Evaluator(w.number)
	if err != nil {
		return nil, err
	}
	w.evaluators = slices.DeleteFunc(w.evaluators, func(e *evaluator) bool {
		if e.games > 0 || e.network == w.deal.networks.own {
			return false
		}
		w.past = w.past.Plus(e.eval.Stats())
		err = errors.Join(err, w.deal.release(e.network))
		return true
	})
	e := &evaluator{network: n, eval: eval}
	w.evaluators = append(w.evaluators, e)
	return e, err
}

// counted returns a message with what the worker has counted so far.
func (w *worker) counted() finished {
	f := finished{worker: w.number, stats: w.past}
	if w.labeler != nil {
		f.nodes = w.labeler.Nodes()
	}
	for _, e := range w.evaluators {
		f.stats = f.stats.Plus(e.eval.Stats())
	}
	return f
}

// run plays all games of the worker. It returns early with the context's or the evaluator's
// error; games under way are lost then.
func (w *worker) run(ctx context.Context) error {
	enc := w.setup.Encoder.Clone()
	resume := make([]func() (bool, error, bool), w.slots)
	for i := range resume {
		next, stop := iter.Pull2(w.games(ctx, newSlot(w.setup, w.opts, enc)))
		defer stop()
		resume[i] = next
	}
	for {
		seen, waiting := w.deal.changeCount(), false
		for _, next := range resume {
			waits, err, _ := next()
			if err != nil {
				return err
			}
			waiting = waiting || waits
		}
		if waiting {
			if err := w.evaluate(ctx); err != nil {
				return fmt.Errorf("selfplay: evaluation: %w", err)
			}
		} else if more, err := w.deal.wait(ctx, seen); !more || err != nil {
			return err
		}
	}
}

// errGivenUp ends a game whose worker has ended.
var errGivenUp = errors.New("the game is given up")

// games plays one game after the other in a slot. It yields true when it waits for the
// evaluator, false when it waits for a game, and an error that ends the run.
func (w *worker) games(ctx context.Context, s *slot) iter.Seq2[bool, error] {
	return func(yield func(bool, error) bool) {
		var used *evaluator
		wait := func() error {
			used.waits = true
			if !yield(true, nil) {
				return errGivenUp
			}
			return nil
		}
		if w.labeler != nil {
			s.player = newLabelPlayer(&w.opts.Labels, w.labeler)
		}
		for {
			id, network, ok, err := w.deal.next(w.underWay)
			switch {
			case err == nil && !ok:
				if !yield(false, nil) {
					return
				}
				continue
			case err == nil:
				err = ctx.Err()
			}
			if err == nil && w.labeler == nil {
				old := used
				if used, err = w.evaluatorOf(network); err == nil && used != old {
					s.player = newTreePlayer(w.opts, used.eval, w.solver, wait)
				}
			}
			if err == nil {
				err = w.play(ctx, s, id, used)
			}
			if err != nil {
				yield(false, err)
				return
			}
		}
	}
}

// play plays game id in a slot, by an evaluator that is nil with a Labeler, and delivers it.
func (w *worker) play(ctx context.Context, s *slot, id int, e *evaluator) error {
	if e != nil {
		e.games++
		defer func() { e.games-- }()
	}
	w.underWay++
	record, err := s.play(ctx, id)
	if err != nil {
		return err
	}
	w.underWay--
	f := w.counted()
	f.record = record
	w.deliver(f)
	return nil
}

// evaluate computes the positions that games wait for.
func (w *worker) evaluate(ctx context.Context) error {
	for _, e := range w.evaluators {
		if !e.waits {
			continue
		}
		e.waits = false
		if err := e.eval.Wait(ctx, nn.All); err != nil {
			return &brokenNetwork{e.network.SHA256, err}
		}
	}
	return nil
}

// dealer hands out games to workers. Any worker may play any game: the result does not
// depend on it.
type dealer struct {
	mu       sync.Mutex
	games    []int // ids, in order
	workers  int
	networks *openNetworks
	by       func(id int) (samples.PlayedBy, error) // the network that plays a game

	open    bool          // games may still be added
	changes int           // number of changes that a worker without games waits for
	changed chan struct{} // closed by the next change; nil while nobody waits
}

// next returns the next game for a worker with so many games under way, and its network, of
// which the worker becomes a user. Towards the end it gives each worker no more than its
// share of the games left, so that workers end about one game apart; a worker that gets none
// asks again. While games may still be added it deals all that there are.
func (d *dealer) next(underWay int) (id int, network *openNetwork, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	share := (len(d.games) + d.workers - 1) / d.workers
	if len(d.games) == 0 || !d.open && underWay >= share {
		return 0, nil, false, nil
	}
	id = d.games[0]
	by, err := d.by(id)
	if err == nil {
		network, err = d.networks.use(by)
	}
	if err != nil {
		return 0, nil, false, err
	}
	d.games = d.games[1:]
	return id, network, true, nil
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

// release says that a worker does not use a network any more.
func (d *dealer) release(n *openNetwork) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.networks.release(n)
}

// FinishedGame is a game that was played, and the counts of all workers so far.
type FinishedGame struct {
	Record *samples.Record
	Stats  nn.Stats // as of each worker's last finished game
	Nodes  int64    // of Labelers, likewise

	lost int // without a Record: games that a worker gave up when it ended
}

// play runs the dealer's workers until all have ended, and calls take on the caller's
// goroutine with their games and, without one, when one has ended. The first error ends all
// workers; take gets no more games after it.
func (d *dealer) play(ctx context.Context, setup *Setup, opts *Options, atOnce int,
	take func(FinishedGame) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	group, ctx := errgroup.WithContext(ctx)
	games, ended := make(chan finished), make(chan error, 1)
	for number := range d.workers {
		group.Go(func() error {
			w, err := newWorker(number, setup, opts, d, atOnce, func(f finished) { games <- f })
			if err != nil {
				return err
			}
			err = w.run(ctx)
			f := w.counted()
			f.lost = w.underWay
			games <- f
			return err
		})
	}
	go func() {
		ended <- group.Wait()
		close(games)
	}()
	var failed error
	counted := make([]finished, d.workers)
	for f := range games {
		counted[f.worker] = f
		if failed != nil && f.record != nil {
			continue
		}
		all := FinishedGame{Record: f.record, lost: f.lost}
		for _, c := range counted {
			all.Stats, all.Nodes = all.Stats.Plus(c.stats), all.Nodes+c.nodes
		}
		if err := take(all); failed == nil && err != nil {
			failed = err
			cancel(failed)
		}
	}
	if err := <-ended; failed == nil {
		failed = err
	}
	return cmp.Or(failed, d.networks.close())
}

// GameQueue holds the games that PlayQueue plays. Any goroutine may add games at any
// time until the queue is closed.
type GameQueue struct {
	deal dealer
	by   map[int]samples.PlayedBy // of games that are not begun
}

// NewGameQueue returns an empty queue.
func NewGameQueue() *GameQueue {
	q := &GameQueue{deal: dealer{open: true}, by: map[int]samples.PlayedBy{}}
	q.deal.by = func(id int) (samples.PlayedBy, error) {
		defer delete(q.by, id)
		return q.by[id], nil
	}
	return q
}

// Add puts games into the queue. by is the network that plays them; it is ignored if the
// run's network never changes.
func (q *GameQueue) Add(by samples.PlayedBy, ids ...int) {
	q.deal.mu.Lock()
	defer q.deal.mu.Unlock()
	for _, id := range ids {
		q.by[id] = by
	}
	q.deal.games = append(q.deal.games, ids...)
	q.deal.wake()
}

// Close says that no more games will be added.
func (q *GameQueue) Close() {
	q.deal.mu.Lock()
	defer q.deal.mu.Unlock()
	q.deal.open = false
	q.deal.wake()
}

// PlayQueue plays the games of a queue as Play plays those of a run, and calls take on
// its own goroutine with each finished game. A queue can be played once. PlayQueue
// returns when the queue is closed and empty, when ctx ends, or with the first error;
// all its goroutines have ended then. Of the host it uses Workers, AtOnce, and Dir,
// in which the network of a shard must be, under its samples.NetworkName, before its
// games are added.
func PlayQueue(ctx context.Context, setup Setup, opts Options, host Host, queue *GameQueue,
	take func(FinishedGame) error) error {
	opts, host = opts.WithDefaults(), host.withDefaults()
	if _, err := Plan(setup, opts); err != nil {
		return err
	}
	queue.deal.workers, queue.deal.networks = host.Workers, newOpenNetworks(&setup, host.Dir)
	return queue.deal.play(ctx, &setup, &opts, host.AtOnce, func(g FinishedGame) error {
		if g.Record == nil {
			return nil
		}
		return take(g)
	})
}
