package selfplay

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// GameQueue holds the games that PlayQueue plays. Any goroutine may add games at any
// time until the queue is closed.
type GameQueue struct {
	deal     *dealer
	networks *assignedNetworks
}

// NewGameQueue returns an empty queue for a run with these options.
func NewGameQueue(opts Options) *GameQueue {
	opts = opts.WithDefaults()
	return &GameQueue{
		deal:     &dealer{open: true},
		networks: &assignedNetworks{perShard: opts.GamesPerShard, by: map[int]samples.PlayedBy{}},
	}
}

// Add puts games of one shard into the queue. by is the network that plays them; it is
// ignored if the run's network never changes.
func (q *GameQueue) Add(by samples.PlayedBy, ids ...int) {
	q.deal.mu.Lock()
	defer q.deal.mu.Unlock()
	for _, id := range ids {
		q.networks.by[id/q.networks.perShard] = by
	}
	q.deal.games = append(q.deal.games, ids...)
	q.deal.wake()
}

// Left returns how many games no worker has begun.
func (q *GameQueue) Left() int {
	q.deal.mu.Lock()
	defer q.deal.mu.Unlock()
	return len(q.deal.games)
}

// Close says that no more games will be added.
func (q *GameQueue) Close() {
	q.deal.mu.Lock()
	defer q.deal.mu.Unlock()
	q.deal.open = false
	q.deal.wake()
}

// FinishedGame is a game that PlayQueue has played, and the counts of all workers so
// far.
type FinishedGame struct {
	Record *samples.Record
	Stats  nn.Stats // as of each worker's last finished game
	Nodes  int64    // of teachers, likewise
}

// PlayQueue plays the games of a queue as Run plays those of a run, and calls take on
// its own goroutine with each finished game. A queue can be played once. PlayQueue
// returns when the queue is closed and empty, when ctx ends, or with the first error;
// all its goroutines have ended then. Of the host it uses Workers, AtOnce, and Dir,
// in which the network of a shard must be, under its samples.NetworkName, before its
// games are added.
func PlayQueue(ctx context.Context, setup Setup, opts Options, host Host, queue *GameQueue, take func(FinishedGame) error) error {
	opts, host = opts.WithDefaults(), host.withDefaults()
	if _, err := Plan(setup, opts); err != nil {
		return err
	}
	queue.networks.dir = host.Dir
	queue.deal.workers, queue.deal.roster = host.Workers, newRoster(&setup, queue.networks)
	counted := make([]work, host.Workers)
	return queue.deal.runWorkers(ctx, &setup, &opts, host.AtOnce, func(f finished) error {
		counted[f.worker] = f.work
		if f.record == nil {
			return nil
		}
		s := FinishedGame{Record: f.record}
		for _, w := range counted {
			s.Stats, s.Nodes = s.Stats.Plus(w.stats), s.Nodes+w.nodes
		}
		return take(s)
	})
}

// assignedNetworks is the record of the networks that callers of GameQueue.Add named.
// It is used under the dealer's lock.
type assignedNetworks struct {
	dir      string
	perShard int
	by       map[int]samples.PlayedBy // by shard
}

var errAssigned = errors.New("selfplay: which network plays a shard is decided elsewhere")

// Of implements [networkRecord]. Without a name it returns an empty digest, which no
// file has.
func (a *assignedNetworks) Of(id int) (samples.PlayedBy, bool) { return a.by[id/a.perShard], true }

// Path implements [networkRecord].
func (a *assignedNetworks) Path(sha256 string) string {
	return filepath.Join(a.dir, samples.NetworkName(sha256))
}

// Keep implements [networkRecord].
func (a *assignedNetworks) Keep(string, []byte) error { return errAssigned }

// Drop implements [networkRecord].
func (a *assignedNetworks) Drop(string) error { return errAssigned }

// Begin implements [networkRecord].
func (a *assignedNetworks) Begin(int, string, string) error { return errAssigned }

// Assigner decides which network plays which shard of a run whose games other
// processes play. It belongs to one goroutine.
type Assigner struct {
	roster   *roster
	perShard int
}

// NewAssigner returns the assigner of a run that is written through out.
func NewAssigner(setup Setup, opts Options, out *samples.Writer) *Assigner {
	return &Assigner{newRoster(&setup, out.Networks()), opts.WithDefaults().GamesPerShard}
}

// Of returns the network that plays game id, which is about to be dealt. The first
// game of a shard decides it for the whole shard, and the decision is on disk when Of
// returns.
func (a *Assigner) Of(id int) (samples.PlayedBy, error) {
	n, err := a.roster.of(id)
	if err != nil {
		return samples.PlayedBy{}, err
	}
	by := samples.PlayedBy{FromGame: id - id%a.perShard, Model: n.Name, SHA256: n.SHA256}
	return by, a.roster.release(n)
}
