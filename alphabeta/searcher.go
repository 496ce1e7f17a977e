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

// Searcher searches positions of one game. It keeps its transposition table and move
// history from search to search. It belongs to one goroutine; the threads that it
// starts have ended when Search returns.
type Searcher struct {
	game       Game
	opts       Options
	table      *table
	reductions *reductions
	workers    []*worker
	searching  *currentlySearching // nil for one thread
	control    control
	searched   bool // since New or Clear

	wanted  int    // clusters that the table is to have; see FinishResize
	next    *table // the table that will replace it; nil: none
	touched int    // clusters of it whose memory has been written to
}

// New returns a Searcher for positions of g, or ErrMemory if the table is larger than
// the machine's memory.
func New(g Game, opts Options) (*Searcher, error) {
	opts = opts.WithDefaults(g)
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

// Search searches pos within l and leaves pos unchanged. The Result has a legal move
// unless the game is over or Bind fails, even if the context ended before the search
// began. The error is the context's if that ended the search, nil if limits did.
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
	best := run(s.workers, last, l.Order, func() {
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

// Prepare makes the first search of a position with pos's board size start faster:
// it binds the game and writes to the memory of table and history, which the
// operating system assigns on the first write. Call it after New, Clear or SetGame:
// it ages the history as a search does.
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

// Clear empties the table and the history. The next search is a function of position,
// options and limits if it has one thread and no time limit.
func (s *Searcher) Clear() {
	s.table.clear()
	if s.next != nil {
		clear(s.next.clusters[:s.touched]) // the rest of an interrupted copy
	}
	s.searched = false
	for _, w := range s.workers {
		w.hist.clear()
	}
}

// Resize changes the size of the table to that many MiB, at least 1, and keeps its
// content as far as there is room. It writes to all of the new memory. It does
// nothing if there is no table. If both sizes together exceed the machine's memory
// it returns ErrMemory and changes nothing.
func (s *Searcher) Resize(mib int) error {
	if s.table.closed {
		return nil
	}
	mib = min(max(1, mib), mostMiB+1)
	if err := CheckTable(mib + s.table.mib()); err != nil {
		return err
	}
	s.ResizeLater(mib)
	s.FinishResize(context.Background())
	return nil
}

// TableMiB returns the size of the table, negative if there is none.
func (s *Searcher) TableMiB() int {
	if s.table.closed {
		return Off
	}
	return s.table.mib()
}

// ResizeLater is Resize for callers that cannot wait for memory: a smaller table
// takes effect at once, and FinishResize does the rest. It does not fail: if there is
// not enough memory the table stays as it is.
func (s *Searcher) ResizeLater(mib int) {
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

// resizeStep is how many clusters FinishResize handles between two checks of its
// context: some tenths of a millisecond.
const resizeStep = clustersPerMiB / 2

// FinishResize gives the table the size last requested by ResizeLater, keeps its
// content as far as there is room, and writes to all of the new memory. If ctx ends
// before, the table stays as it is, and the next call continues.
func (s *Searcher) FinishResize(ctx context.Context) {
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
		end := min(s.touched+resizeStep*len(s.workers), s.wanted)
		touch(s.next.clusters[s.touched:end], len(s.workers))
		s.touched = end
	}
	if s.searched && !s.table.copyTo(ctx, s.next) {
		return
	}
	s.table, s.next, s.touched = s.next, nil, 0
}

// Ponder searches the position after reply, the expected move of the opponent in pos,
// until ctx ends or a limit is reached; l should not limit time. Its purpose is to
// fill the table and the history: if the opponent plays reply, the next Search finds
// most of its work done, and after another move it still knows many positions.
//
// Ponder blocks and must not overlap with Search: run it in a goroutine, cancel ctx
// when the opponent has moved, and wait for it to return. The end of ctx is not an
// error.
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

// CheckTable returns ErrMemory if tables of that many MiB in total exceed the
// machine's memory or the largest possible table. Allocating that much would kill
// the program.
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
