package selfplay

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Stock is the games that Serve is to play. They may come at any time, from any
// goroutine, until it is closed. A game that forks from the one before it must come
// with that one.
type Stock struct {
	deal  *dealer
	given *given
}

// NewStock returns a stock without games, for a run with so many games in a shard.
func NewStock(opts Options) *Stock {
	opts = opts.WithDefaults()
	return &Stock{
		deal:  &dealer{open: true, forks: newForks(&opts)},
		given: &given{perShard: opts.GamesPerShard, by: map[int]samples.PlayedBy{}},
	}
}

// Add puts games of one shard into the stock. by says what plays them; it is of no
// account where the run's network stays the same.
func (s *Stock) Add(by samples.PlayedBy, ids ...int) {
	s.deal.mu.Lock()
	defer s.deal.mu.Unlock()
	for _, id := range ids {
		s.given.by[id/s.given.perShard] = by
	}
	s.deal.games = append(s.deal.games, ids...)
	s.deal.tell()
}

// Left returns how many of the games no worker has begun.
func (s *Stock) Left() int {
	s.deal.mu.Lock()
	defer s.deal.mu.Unlock()
	return len(s.deal.games)
}

// Close says that no game comes any more.
func (s *Stock) Close() {
	s.deal.mu.Lock()
	defer s.deal.mu.Unlock()
	s.deal.open = false
	s.deal.tell()
}

// Served is what Serve hands over: a game that is over, and what all workers have
// counted so far.
type Served struct {
	Record *samples.Record
	Stats  nn.Stats // as of each worker's last finished game
	Nodes  int64    // of teachers, likewise
}

// Serve plays the games of a stock, which serves once, as Run plays those of a run, and
// has take, on its own goroutine, receive each that is over; what take does is its
// own affair. It returns when the stock is closed and empty, when the context ends, or
// with the first error, and all its goroutines have ended then. Of the host it looks
// at Workers, AtOnce, and Dir: where the networks of other shards lie, each under its
// samples.NetworkName, before their games come.
func Serve(ctx context.Context, setup Setup, opts Options, host Host, stock *Stock, take func(Served) error) error {
	opts, host = opts.WithDefaults(), host.withDefaults()
	if _, err := Plan(setup, opts); err != nil {
		return err
	}
	stock.given.dir = host.Dir
	stock.deal.workers, stock.deal.roster = host.Workers, newRoster(&setup, stock.given)
	counted := make([]work, host.Workers)
	return stock.deal.crew(ctx, &setup, &opts, host.AtOnce, func(f finished) error {
		counted[f.worker] = f.work
		if f.record == nil {
			return nil
		}
		s := Served{Record: f.record}
		for _, w := range counted {
			s.Stats, s.Nodes = s.Stats.Plus(w.stats), s.Nodes+w.nodes
		}
		return take(s)
	})
}

// given is the record of networks that somebody else keeps. It is used under the
// dealer's lock.
type given struct {
	dir      string
	perShard int
	by       map[int]samples.PlayedBy // by shard
}

var errGiven = errors.New("selfplay: which network plays a shard is decided elsewhere")

// Of implements [record]; what nobody has said is an empty digest, which no file has.
func (g *given) Of(id int) (samples.PlayedBy, bool) { return g.by[id/g.perShard], true }

// Path implements [record].
func (g *given) Path(sha256 string) string {
	return filepath.Join(g.dir, samples.NetworkName(sha256))
}

// Keep implements [record].
func (g *given) Keep(string, []byte) error { return errGiven }

// Drop implements [record].
func (g *given) Drop(string) error { return errGiven }

// Begin implements [record].
func (g *given) Begin(int, string, string) error { return errGiven }

// Assigner decides which network plays which shard, for who has the games played
// elsewhere. It belongs to one goroutine.
type Assigner struct {
	roster   *roster
	perShard int
}

// NewAssigner returns the assigner of a run that is written through out.
func NewAssigner(setup Setup, opts Options, out *samples.Writer) *Assigner {
	return &Assigner{newRoster(&setup, out.Networks()), opts.WithDefaults().GamesPerShard}
}

// Of returns what plays game id, which is about to be dealt; the first game of a shard
// decides it for the shard, and it is on disk then.
func (a *Assigner) Of(id int) (samples.PlayedBy, error) {
	n, err := a.roster.of(id)
	if err != nil {
		return samples.PlayedBy{}, err
	}
	by := samples.PlayedBy{FromGame: id - id%a.perShard, Model: n.Name, SHA256: n.SHA256}
	return by, a.roster.leave(n)
}
