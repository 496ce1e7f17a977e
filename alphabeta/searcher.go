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
	game       Game
	opts       Options
	table      *table
	reductions *reductions
	workers    []*worker
	searching  *currentlySearching // nil for one thread
	control    control
	searched   bool // since New or Clear

	wanted  int    // clusters that the table is to have; see Settle
	next    *table // the table to come; nil: none
	touched int    // clusters of it whose memory has been touched
}

// New returns a Searcher for positions of g. It fails, with ErrMemory, if the
// table is larger than the machine's memory.
func New(g Game, opts Options) (*Searcher, error) {
	opts = opts.withDefaults()
	if err := CheckTable(opts.TableMiB); err != nil {
		return nil, err
	}
	s := &Searcher{game: g, opts: opts, table: newTable(opts.TableMiB), reductions: newReductions(opts.LateMoves)}
	s.wanted = len(s.table.clusters)
	if opts.Threads > 1 {
		s.searching = new(currentlySearching)
	}
	for i := range opts.Threads {
		s.workers = append(s.workers, &worker{opts: &s.opts, control: &s.control, reductions: s.reductions, searching: s.searching, helper: i > 0})
	}
	for _, w := range s.workers {
		w.workers = s.workers
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
	s.searched = true
	s.control.begin(ctx, s.opts.Clock, &l)
	if s.searching != nil {
		s.searching.clear()
	}
	for _, w := range s.workers {
		w.table = s.table
		if err := w.bind(s.game, pos.Clone()); err != nil {
			return Result{}, fmt.Errorf("alphabeta: %w", err)
		}
		w.listRoot(l.Lines, l.Barred)
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
	if s.control.contextDone.Load() {
		return r, ctx.Err()
	}
	return r, nil
}

// SetGame makes s search positions of g from now on. It keeps the table and the
// history; call Clear if equal hashes mean other positions or values under g.
func (s *Searcher) SetGame(g Game) { s.game = g }

// Prepare does beforehand what else the first search of a position like pos, on a
// board of its size, would do: it binds the game and touches the memory of the
// table and of what is learnt, which the machine hands out when it is first written
// to. Nothing is searched. Call it after New, Clear or SetGame: it ages what is learnt of
// moves as a search does.
func (s *Searcher) Prepare(pos game.Position) error {
	for _, w := range s.workers {
		if err := w.bind(s.game, pos.Clone()); err != nil {
			return fmt.Errorf("alphabeta: %w", err)
		}
		clear(w.arena)
	}
	touch(s.table.clusters, len(s.workers))
	return nil
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
	if s.next != nil {
		clear(s.next.clusters[:s.touched]) // what a copy that was cut short has left
	}
	s.searched = false
	for _, w := range s.workers {
		w.hist.clear()
	}
}

// Resize changes the size of the table to that many MiB, at least 1, and keeps
// its content as far as there is room. Its memory is touched. It does nothing if
// there is no table. It fails, with ErrMemory and the table as it was, if both sizes together are more
// than the machine's memory.
func (s *Searcher) Resize(mib int) error {
	if s.table.closed {
		return nil
	}
	mib = min(max(1, mib), mostMiB+1)
	if err := CheckTable(mib + s.table.mib()); err != nil {
		return err
	}
	s.Request(mib)
	s.Settle(context.Background())
	return nil
}

// TableMiB returns the size of the table, negative if there is none.
func (s *Searcher) TableMiB() int {
	if s.table.closed {
		return Off
	}
	return s.table.mib()
}

// Request is Resize for a time at which nobody can wait for memory: the searches
// that follow use no more of the table than that, and Settle does the rest. It does
// not fail: a table that there is no memory for stays as it is.
func (s *Searcher) Request(mib int) {
	n := min(max(1, mib), mostMiB) * clustersPerMiB
	if s.table.closed || n == s.wanted {
		return
	}
	s.wanted, s.next, s.touched = n, nil, 0
	switch {
	case n == len(s.table.clusters) || CheckTable(mib+s.table.mib()) != nil:
		s.wanted = len(s.table.clusters)
	case n < len(s.table.clusters) && s.searched:
		s.table = s.table.resized(n)
		touch(s.table.clusters, len(s.workers))
	case n < len(s.table.clusters):
		s.table = s.table.cut(n)
	}
}

// settleClusters is how many clusters Settle deals with between two looks at its
// context: some tenths of a millisecond.
const settleClusters = clustersPerMiB / 2

// Settle gives the table the size that was last requested, with its content as far as
// there is room and its memory touched. If ctx ends before, the table stays as it
// is, and the next call goes on.
func (s *Searcher) Settle(ctx context.Context) {
	if s.wanted == len(s.table.clusters) && !s.table.lent {
		return
	}
	if s.next == nil {
		s.next = sizedTable(s.wanted)
	}
	for s.touched < s.wanted {
		if ctx.Err() != nil {
			return
		}
		end := min(s.touched+settleClusters*len(s.workers), s.wanted)
		touch(s.next.clusters[s.touched:end], len(s.workers))
		s.touched = end
	}
	if s.searched && !s.table.copyTo(ctx, s.next) {
		return
	}
	s.table, s.next, s.touched = s.next, nil, 0
}

// Ponder searches, while the opponent of pos is thinking, what follows if it
// plays reply, until ctx ends or l does; l should bound no time. Only what it
// leaves behind in the table and in what is learnt matters: if the opponent
// does play reply, a Search from there finds most of its work done. If not,
// the positions that can still come up are known all the same.
//
// Ponder blocks, as Search does, and may not overlap with it: let it run in a
// goroutine, end ctx when the opponent has moved, and wait for it to return
// before the next Search. The end of ctx is no error here.
func (s *Searcher) Ponder(ctx context.Context, pos game.Position, reply game.Move, l Limits) (Result, error) {
	if !pos.Legal(reply) {
		return Result{}, fmt.Errorf("alphabeta: cannot ponder on %d, which is no legal move", reply)
	}
	pos = pos.Clone()
	pos.Play(reply)
	if pos.Outcome() != game.Undecided {
		return Result{}, nil
	}
	r, err := s.Search(ctx, pos, l)
	if err != nil && err == ctx.Err() {
		return r, nil
	}
	return r, err
}

// CheckTable fails with ErrMemory if tables of that many MiB together are larger
// than the memory of the machine, or than any table can be. Allocating that
// much would end the program.
func CheckTable(mib int) error {
	most := mostMiB
	if bytes := memory(); bytes > 0 {
		most = min(most, int(bytes>>20))
	}
	if mib > most {
		return fmt.Errorf("%w: %d MiB, at most %d are possible", ErrMemory, mib, most)
	}
	return nil
}
