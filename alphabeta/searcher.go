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
}

// New returns a Searcher for positions of g, or ErrMemory if the table is larger than
// the machine's memory.
func New(g Game, opts Options) (*Searcher, error) {
	opts = opts.WithDefaults(g)
	if err := CheckTable(opts.TableMiB); err != nil {
		return nil, err
	}
	s := &Searcher{game: g, opts: opts, table: newTable(opts.TableMiB), reductions: newReductions(opts.LateMoves)}
	if opts.Threads > 1 {
		s.searching = new(currentlySearching)
	}
	for i := range opts.Threads {
		s.workers = append(s.workers, &worker{opts: &s.opts, control: &s.control, reductions: s.reductions,
			searching: s.searching, helper: i > 0})
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
	for _, w := range s.workers {
		w.hist.clear()
	}
}

// Resize makes the table that many MiB, at least 1, and empties it unless it has that size.
// It does nothing if there is no table. If both sizes together exceed the machine's memory it
// returns ErrMemory and changes nothing.
func (s *Searcher) Resize(mib int) error {
	mib = min(max(1, mib), mostMiB+1)
	if s.table.closed || mib == s.table.mib() {
		return nil
	}
	if err := CheckTable(mib + s.table.mib()); err != nil {
		return err
	}
	s.table = newTable(mib)
	for _, w := range s.workers {
		w.table = nil
	}
	return nil
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

// worker is one thread's search: its position, history and path. Threads share only the
// table, the control, the moves being searched and the active nodes.
type worker struct {
	opts       *Options
	control    *control
	table      *table
	searching  *currentlySearching // nil if this is the only thread
	reductions *reductions
	active     activeNodes
	unwind     unwinding
	workers    []*worker // of the search, w among them; they cut each other off
	helper     bool      // whether another worker decides when there was enough time

	heuristics Heuristics
	pos        game.Position // parts.Position

	hist        history
	stack       [maxPly + 2]frame
	lines       [maxPly + 2]pvLine
	arena       []ScoredMove // of all nodes on the path, one after the other
	wins        []game.Move  // scratch
	root        root
	barred      func(game.Move) bool // at the root; nil: none
	timeManager timeManager

	left           int64 // nodes reserved and not yet used
	chunk          int64 // nodes to reserve at a time
	lastClockCheck int64 // time of the last check of the clock
	stopped        bool  // results from now on are invalid
	stats          Stats
	iterations     []Iteration
}

// bind prepares w for a search from pos, which it takes over.
func (w *worker) bind(g Game, pos game.Position) error {
	parts, err := g.Bind(pos)
	if err != nil {
		return err
	}
	w.heuristics, w.pos = parts, parts.Position
	w.hist.resize(parts.Slots)
	w.hist.age()
	most := w.pos.MaxMoves()
	if n := most * (maxPly + 2); len(w.arena) < n {
		w.arena = make([]ScoredMove, n)
	}
	if cap(w.wins) < most {
		w.wins = make([]game.Move, 0, most)
	}
	w.stack = [maxPly + 2]frame{}
	w.left, w.stopped = 0, false
	w.unwind.active = false
	w.active.clear()
	w.chunk, w.lastClockCheck = firstChunk, w.control.start
	w.stats = Stats{}
	w.iterations = make([]Iteration, 0, MaxDepth)
	w.timeManager.reset(parts.Evaluation.Margin(1))
	return nil
}

// countNode counts a node before it is played. It reports false if the search must end,
// from then on always, or if it must leave a node; see cutoffOccurred.
func (w *worker) countNode() bool {
	if w.cutoffOccurred() || w.left <= 0 && !w.reserve(w.chunk) {
		return false
	}
	w.left--
	w.stats.Nodes++
	return true
}

// reserve asks for n more nodes.
func (w *worker) reserve(n int64) bool {
	if w.stopped {
		return false
	}
	var now int64
	if w.control.timed {
		now = w.control.clock()
		w.adaptChunk(now)
	}
	w.left += w.control.reserve(n, now)
	w.stopped = w.left <= 0
	return !w.stopped
}

// The intended time between two checks of the clock, in nanoseconds, and the nodes
// between them: at first, at least and at most.
const (
	clockInterval = 400_000
	firstChunk    = 64
	leastChunk    = 8
	mostChunk     = 1024
)

// adaptChunk chooses how many nodes to reserve at a time, from the time that the last
// ones took.
func (w *worker) adaptChunk(now int64) {
	took := now - w.lastClockCheck
	w.lastClockCheck = now
	switch {
	case took > 2*clockInterval:
		w.chunk = max(leastChunk, w.chunk/2)
	case took < clockInterval:
		w.chunk = min(mostChunk, w.chunk*2)
	}
}

// play makes the move e from the node at ply.
func (w *worker) play(ply int, e *ScoredMove) {
	f := &w.stack[ply]
	f.move, f.slot = e.Move, e.Slot
	w.pos.Play(e.Move)
}

// terminal returns the score at ply of a decided position: the game is over, or the side
// to move can win at once, in which case the line is that move.
func (w *worker) terminal(ply int) (Score, bool) {
	w.lines[ply].n = 0
	w.stats.SelDepth = max(w.stats.SelDepth, ply)
	if o := w.pos.Outcome(); o != game.Undecided {
		switch o.Value(w.pos.ToMove()) {
		case 1:
			return WinIn(ply), true
		case -1:
			return LossIn(ply), true
		}
		return 0, true
	}
	w.wins = w.pos.Wins(w.wins[:0])
	if len(w.wins) == 0 {
		return 0, false
	}
	w.lines[ply].only(w.wins[0])
	return WinIn(ply + 1), true
}

// evaluate returns the static evaluation: known, unless that is noEval.
func (w *worker) evaluate(known Score) Score {
	if known != noEval {
		return known
	}
	return max(-MaxEval, min(MaxEval, w.heuristics.Evaluation.Evaluate()))
}

// tableMove returns the move of a table entry if it is legal here.
func (w *worker) tableMove(m game.Move) game.Move {
	if m != noMove && !w.pos.Legal(m) {
		w.stats.TableCollisions++
		return noMove
	}
	return m
}

// maxPly is the largest distance from the root that a search reaches.
const maxPly = 127

// frame is what the search keeps of a node on its path.
type frame struct {
	eval     Score     // static evaluation
	move     game.Move // being searched from here
	slot     uint16    // of move
	node     node      // as its parent searches it; see activeNodes
	extended int       // plies by which the path to here was extended on request
	pick     movePicker
	deferred [maxDeferred]countedMove // of the node's moves; see moveLoop
	tried    [maxTried]uint16         // slots of the quiet moves searched so far
	nTried   int
}

// maxTried bounds the quiet moves of a node that are marked down when a later
// one causes a cutoff.
const maxTried = 32

// addTried keeps the quiet move e, which was searched and caused no cutoff.
func (f *frame) addTried(e *ScoredMove) {
	if e.Kind == Quiet && f.nTried < maxTried {
		f.tried[f.nTried] = e.Slot
		f.nTried++
	}
}

// pvLine is a principal variation from some ply on.
type pvLine struct {
	moves [maxPly + 1]game.Move
	n     int
}

// only makes l the single move m, with unknown continuation.
func (l *pvLine) only(m game.Move) { l.moves[0], l.n = m, 1 }

// set makes l the move m followed by rest.
func (l *pvLine) set(m game.Move, rest *pvLine) {
	l.moves[0] = m
	l.n = 1 + copy(l.moves[1:], rest.moves[:rest.n])
}
