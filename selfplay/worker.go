package selfplay

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/carozero/carozero/internal/option"
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

// worker plays one game after the other on one goroutine.
type worker struct {
	slot
	number  int
	deal    *dealer
	turn    *nn.Turn     // nil unless the network is on a device
	solver  mcts.Solver  // may be nil
	network *openNetwork // that eval is of; nil before the first game and with a Labeler
	eval    nn.Evaluator
	past    nn.Stats // of former evaluators
	labeler Labeler  // nil without
	lost    int      // games that were given up
	deliver func(finished)
}

// newWorker makes a worker with its own Labeler or solver. deliver may block.
func newWorker(number int, setup *Setup, opts *Options, deal *dealer, deliver func(finished)) (*worker, error) {
	w := &worker{slot: newSlot(setup, opts), number: number, deal: deal, deliver: deliver}
	var err error
	if setup.Labeler != nil {
		if w.labeler, err = setup.Labeler(number); err == nil {
			w.player = newLabelPlayer(&opts.Labels, w.labeler)
		}
	} else if setup.Solver != nil {
		w.solver = setup.Solver(number)
	}
	return w, err
}

// use makes the evaluator and the player of a network, of which the worker is a user.
func (w *worker) use(n *openNetwork) error {
	if n == w.network {
		return w.deal.release(n) // the worker is counted already
	}
	if err := w.leave(); err != nil {
		return err
	}
	eval, err := n.Evaluator(w.number, w.turn)
	if err != nil {
		return errors.Join(err, w.deal.release(n))
	}
	w.network, w.eval = n, eval
	w.player = newTreePlayer(w.opts, eval, w.solver)
	return nil
}

// leave ends the use of the worker's network. What still waits there is given up.
func (w *worker) leave() error {
	n := w.network
	if n == nil {
		return nil
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	_ = w.eval.Wait(over, nn.All)
	w.past, w.network = w.past.Plus(w.eval.Stats()), nil
	return w.deal.release(n)
}

// counted returns a message with what the worker has counted so far.
func (w *worker) counted() finished {
	f := finished{worker: w.number, stats: w.past, lost: w.lost}
	if w.labeler != nil {
		f.nodes = w.labeler.Nodes()
	}
	if w.network != nil {
		f.stats = f.stats.Plus(w.eval.Stats())
	}
	return f
}

// run plays games until none is left. It returns early with the context's or the
// evaluator's error; the game under way is lost then.
func (w *worker) run(ctx context.Context) (err error) {
	if turns := w.setup.Turns; turns != nil {
		w.turn = turns.Start()
	}
	defer func() {
		err = cmp.Or(err, w.leave())
		w.turn.Rest()
		w.deliver(w.counted())
	}()
	for {
		id, network, ok, err := w.deal.next(ctx, w.turn)
		if err != nil || !ok {
			return err
		}
		if w.labeler == nil {
			if err := w.use(network); err != nil {
				return err
			}
		}
		record, err := w.play(ctx, id)
		if err != nil {
			w.lost = 1
			if broken, ok := errors.AsType[*BrokenNetwork](err); ok {
				broken.SHA256 = network.SHA256
			}
			return err
		}
		f := w.counted()
		f.record = record
		w.turn.Rest()
		w.deliver(f)
		w.turn.Resume()
	}
}

// dealer hands out games to workers. Any worker may play any game: the result does not
// depend on it.
type dealer struct {
	mu       sync.Mutex
	games    []int // ids, in order
	networks *openNetworks
	by       func(id int) (samples.PlayedBy, error) // the network that plays a game

	open    bool          // games may still be added
	changed chan struct{} // closed by the next change; nil while nobody waits
}

// next returns the next game, and its network, of which the worker becomes a user. It blocks
// without a turn while there is no game but one may be added, and returns false when none
// will come any more.
func (d *dealer) next(ctx context.Context, turn *nn.Turn) (id int, network *openNetwork, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.games) == 0 {
		if !d.open {
			return 0, nil, false, nil
		}
		if d.changed == nil {
			d.changed = make(chan struct{})
		}
		changed := d.changed
		d.mu.Unlock()
		turn.Rest()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		turn.Resume()
		d.mu.Lock()
		if ctx.Err() != nil {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return 0, nil, false, err
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

// wake wakes the workers that wait. The caller holds the lock.
func (d *dealer) wake() {
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

// heapBytes is more than the trees of games on a device have been seen to take.
const heapBytes = 3 << 30

// play runs workers until all have ended, and calls take on the caller's goroutine with
// their games and, without one, when one has ended. The first error ends all workers; take
// gets no more games after it.
func (d *dealer) play(ctx context.Context, setup *Setup, opts *Options, host *Host, take func(FinishedGame) error,
) error {
	workers := host.Games(setup)
	if setup.Turns != nil {
		setup.Turns.Allow(host.Workers)
		largePages(min(int64(workers)*opts.Search.Memory, heapBytes, option.Machine()/4))
	}
	if !d.open {
		workers = min(workers, len(d.games))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	group, ctx := errgroup.WithContext(ctx)
	games, ended := make(chan finished), make(chan error, 1)
	for number := range workers {
		group.Go(func() error {
			w, err := newWorker(number, setup, opts, d, func(f finished) { games <- f })
			if err != nil {
				return err
			}
			return w.run(ctx)
		})
	}
	go func() {
		ended <- group.Wait()
		close(games)
	}()
	var failed error
	var total FinishedGame
	counted := make([]finished, workers)
	for f := range games {
		was := &counted[f.worker]
		total.Stats, total.Nodes = total.Stats.Plus(f.stats).Minus(was.stats), total.Nodes+f.nodes-was.nodes
		*was = f
		if failed != nil && f.record != nil {
			continue
		}
		total.Record, total.lost = f.record, f.lost
		if err := take(total); failed == nil && err != nil {
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
	queue.deal.networks = newOpenNetworks(&setup, host.Dir)
	return queue.deal.play(ctx, &setup, &opts, &host, func(g FinishedGame) error {
		if g.Record == nil {
			return nil
		}
		return take(g)
	})
}
