package alphabeta

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/carozero/carozero/game"
)

// Errors of a Searcher.
var (
	ErrOver   = errors.New("alphabeta: the game is over")
	ErrClock  = errors.New("alphabeta: limits in time need Options.Clock")
	ErrMemory = errors.New("alphabeta: the table is larger than the memory")
)

// Searcher searches positions of one game. What its table knows and what it has
// learnt of moves is kept from search to search. It belongs to one goroutine; the
// threads of a search are its own and have ended when Search returns.
type Searcher struct {
	game    Game
	opts    Options
	table   *table
	late    *reductions
	workers []*worker
	roads   *roads // nil for one thread
	control control
}

// New returns a Searcher for positions of g. It fails, with ErrMemory, if the
// table is larger than the machine's memory.
func New(g Game, opts Options) (*Searcher, error) {
	opts = opts.withDefaults()
	if err := CheckTable(opts.TableMiB); err != nil {
		return nil, err
	}
	s := &Searcher{game: g, opts: opts, table: newTable(opts.TableMiB), late: newReductions(opts.LateMoves)}
	if opts.Threads > 1 {
		s.roads = new(roads)
	}
	for i := range opts.Threads {
		s.workers = append(s.workers, &worker{opts: &s.opts, shared: &s.control, late: s.late, roads: s.roads, helper: i > 0})
	}
	for _, w := range s.workers {
		w.all = s.workers
	}
	return s, nil
}

// Search searches pos, which it leaves alone, within l. Its Result has a legal
// move whenever the game is not over and g accepts the position, even if the
// context has ended before the search began; the error is the context's if
// that ended the search, nil if limits did.
func (s *Searcher) Search(ctx context.Context, pos game.Position, l Limits) (Result, error) {
	if pos.Outcome() != game.Undecided {
		return Result{}, fmt.Errorf("%w: nothing to search", ErrOver)
	}
	if s.opts.Clock == nil && (l.Time > 0 || l.Soft > 0) {
		return Result{}, ErrClock
	}
	s.table.advance()
	s.control.begin(ctx, s.opts.Clock, &l)
	if s.roads != nil {
		s.roads.clear()
	}
	for _, w := range s.workers {
		w.table = s.table
		if err := w.bind(s.game, pos.Clone()); err != nil {
			return Result{}, fmt.Errorf("alphabeta: %w", err)
		}
		w.listRoot(l.Lines)
	}
	last := l.Depth
	if last <= 0 || last > MaxDepth {
		last = MaxDepth
	}
	first := s.workers[0]
	best := run(s.workers, last, func() {
		if l.Progress != nil {
			l.Progress(s.finish(first.result(), s.workers[:1]))
		}
	})
	r := s.finish(best.result(), s.workers)
	if s.control.gone.Load() {
		return r, ctx.Err()
	}
	return r, nil
}

// finish adds the statistics of workers to r.
func (s *Searcher) finish(r Result, workers []*worker) Result {
	for _, w := range workers {
		r.Stats.add(&w.stats)
	}
	r.Stats.Elapsed = s.control.elapsed()
	r.Stats.TableFill = s.table.fill()
	r.Iterations = slices.Clone(s.workers[0].iterations)
	return r
}

// Clear forgets what was learnt. A search after it is a function of position,
// options and limits, if it has one thread and no limit in time.
func (s *Searcher) Clear() {
	s.table.clear()
	for _, w := range s.workers {
		w.hist.clear()
	}
}

// Resize changes the size of the table to that many MiB, at least 1, and keeps
// its content as far as there is room. It does nothing if there is no table. It
// fails, with ErrMemory and the table as it was, if both sizes together are more
// than the machine's memory.
func (s *Searcher) Resize(mib int) error {
	if s.table.closed {
		return nil
	}
	mib = min(max(1, mib), mostMiB+1)
	if err := CheckTable(mib + s.table.mib()); err != nil {
		return err
	}
	s.table = s.table.resized(mib * clustersPerMiB)
	return nil
}
