package alphabeta

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/carozero/carozero/game"
)

// MaxDepth is the largest depth of a search, in plies.
const MaxDepth = 100

// Limits bound one search. Zero bounds nothing.
type Limits struct {
	// Depth is the last iteration, at most MaxDepth, which zero means too.
	Depth int

	// Nodes bounds the moves played by all threads together, quiescence and solver
	// included. It is never exceeded; a single thread uses exactly that many unless
	// something else ends the search first.
	Nodes int64

	// Time ends the search; the clock is checked about every half millisecond. Soft is
	// the intended time: no iteration is started after it, after half of it if the
	// best move has not changed for long, or after up to 2.5 times as long if it
	// changes or its score falls. With either, a position with a single move to
	// search is searched to depth 1 only.
	Time, Soft time.Duration

	// Won ends the search after the first iteration that claims a win.
	Won bool

	// Lines is the number of best moves to search, each with its own line.
	// Zero means 1.
	Lines int

	// Barred, unless nil, says which moves of the root are not searched; if it bars
	// all, all are searched. Claims are then about the other moves only, but the table
	// stores them for the position: call Clear before a search with other barred moves.
	Barred func(m game.Move) bool

	// Progress, if not nil, is called after every iteration of the main thread, on the
	// goroutine that called Search. The callee may keep the Result.
	Progress func(Result)
}

// control holds the limits that the threads of one search share.
type control struct {
	ctx         context.Context
	stop        atomic.Bool
	contextDone atomic.Bool  // the context has ended the search
	left        atomic.Int64 // nodes that no thread has reserved yet; meaningful if bounded
	bounded     bool
	clock       func() int64
	start       int64 // by the clock, if there is one
	deadline    int64
	soft        int64 // from the start
	timed       bool
	won         bool // see Limits.Won
}

// begin resets c for a search within l.
func (c *control) begin(ctx context.Context, clock func() int64, l *Limits) {
	c.ctx = ctx
	c.stop.Store(false)
	c.contextDone.Store(false)
	c.won = l.Won
	c.bounded = l.Nodes > 0
	c.left.Store(l.Nodes)
	c.clock = clock
	c.timed = l.Time > 0 || l.Soft > 0
	if clock != nil {
		c.start = clock()
	}
	c.deadline, c.soft = c.start+int64(l.Time), int64(l.Soft)
	if l.Time <= 0 {
		c.deadline = math.MaxInt64
	}
	if l.Soft <= 0 {
		c.soft = math.MaxInt64
	}
}

// reserve returns how many of n more nodes the caller may search, 0 if the search must
// end; then every later call of any thread returns 0 too. now is the time, if there is a
// time limit.
func (c *control) reserve(n, now int64) int64 {
	if c.stop.Load() {
		return 0
	}
	if c.cancelled() || c.timed && now >= c.deadline {
		c.stop.Store(true)
		return 0
	}
	if !c.bounded {
		return n
	}
	if before := c.left.Add(-n) + n; before < n {
		if before <= 0 {
			return 0
		}
		return before
	}
	return n
}

// cancelled reports whether the context has ended.
func (c *control) cancelled() bool {
	if c.ctx.Err() == nil {
		return false
	}
	c.contextDone.Store(true)
	return true
}

// softLimitReached reports whether factor times the Soft limit is over.
func (c *control) softLimitReached(factor float64) bool {
	if c.stop.Load() || c.cancelled() {
		return true
	}
	return c.timed && float64(c.clock()-c.start) >= float64(float64(c.soft)*factor)
}

// elapsed returns the time since the start, 0 without a clock.
func (c *control) elapsed() time.Duration {
	if c.clock == nil {
		return 0
	}
	return time.Duration(c.clock() - c.start)
}

// timeManager computes the factor on a search's Soft limit from the results of its
// iterations so far.
type timeManager struct {
	unit        Score // of the evaluation: a notable fall of the score
	move        game.Move
	score       Score
	fall        float64 // of the score, in units, fading
	moveChanges float64 // changes of the best move, fading
	started     bool
}

// reset starts a new search.
func (t *timeManager) reset(unit Score) { *t = timeManager{unit: max(1, unit)} }

// update adds the result of an iteration.
func (t *timeManager) update(m game.Move, s Score) {
	t.moveChanges /= 2
	t.fall /= 2
	if t.started {
		if m != t.move {
			t.moveChanges++
		}
		t.fall += float64(t.score-s) / float64(t.unit)
	}
	t.move, t.score, t.started = m, s, true
}

// factor returns the factor on the Soft limit: 0.5 if the move has not changed for long
// and its score has not fallen, up to 2.5 if the move changes with every iteration and
// the score falls.
func (t *timeManager) factor() float64 {
	fall := max(0, min(t.fall/2, 1))
	return min(0.5+0.75*t.moveChanges+0.5*fall, 2.5)
}

// Line is a principal variation and its score.
type Line struct {
	Moves []game.Move // at least one; the last ones may come from the table
	Score Score       // for the side to move at the root
	Depth int         // of the iteration that found it; 0 if none did
}

// Result is what a search found.
type Result struct {
	Move  game.Move // the first of the best line, always legal
	Score Score     // of the best line
	Depth int       // iterations completed
	Lines []Line    // the best first: Limits.Lines of them, or as many as moves were searched
	Stats Stats

	// Iterations are the completed ones, in order. The caller may keep them.
	Iterations []Iteration
}

// Reply returns the expected reply to Move, the second move of the best line,
// or NoMove if that has none: the move to ponder on.
func (r *Result) Reply() game.Move {
	if len(r.Lines) == 0 || len(r.Lines[0].Moves) < 2 {
		return noMove
	}
	return r.Lines[0].Moves[1]
}

// result returns the result of w so far.
func (w *worker) result() Result {
	r := Result{Depth: w.root.completed}
	for i := range min(w.root.width, len(w.root.moves)) {
		m := &w.root.moves[i]
		if i > 0 && m.bounded {
			break
		}
		r.Lines = append(r.Lines, Line{Moves: w.extendLine(m), Score: m.score, Depth: m.depth})
	}
	r.Move, r.Score = r.Lines[0].Moves[0], r.Lines[0].Score
	return r
}

// extendLine returns the line of m, extended by the table's moves up to the depth of the
// iteration, or to the end of the game that the score claims. All its moves are legal.
// The moves that extendLine plays do not count as nodes.
func (w *worker) extendLine(m *rootMove) []game.Move {
	most := m.depth
	if plies, ok := m.score.Claim(); ok {
		most = plies
	}
	moves := make([]game.Move, m.line.n, max(most, m.line.n))
	copy(moves, m.line.moves[:m.line.n])
	played := 0
	for _, next := range moves {
		w.pos.Play(next)
		played++
	}
	for len(moves) < most && w.pos.Outcome() == game.Undecided {
		next := w.nextOfLine()
		if next == noMove {
			break
		}
		moves = append(moves, next)
		w.pos.Play(next)
		played++
	}
	for range played {
		w.pos.Undo()
	}
	return moves
}

// nextOfLine returns a move that wins at once, or that of the endgames, or the table's,
// or noMove.
func (w *worker) nextOfLine() game.Move {
	if w.wins = w.pos.Wins(w.wins[:0]); len(w.wins) > 0 {
		return w.wins[0]
	}
	if _, ok := w.endgame(0); ok {
		return w.heuristics.Endgames.Best()
	}
	if m := w.table.probe(w.pos.Hash()).move; m != noMove && w.pos.Legal(m) {
		return m
	}
	return noMove
}

// Iteration is the state of the main thread after one iteration. Nodes and Elapsed count
// from the start of the search, for this thread only.
type Iteration struct {
	Depth    int
	SelDepth int // the longest path from the root, in plies
	Move     game.Move
	Score    Score
	Nodes    int64
	Elapsed  time.Duration // 0 without a clock
}

// Stats count what a search did. A node is a move played.
type Stats struct {
	Nodes           int64 // all
	QuiescenceNodes int64 // of them, below the horizon
	SolverNodes     int64 // of them, by the Solver
	Leaves          int64 // positions at the horizon, however they got their score
	TableProbes     int64
	TableHits       int64
	TableCollisions int64 // illegal moves from the table: entries of other positions
	Cutoffs         int64 // beta cutoffs above the horizon
	FirstCutoffs    int64 // of them, by the first move searched
	SelDepth        int   // the longest path from the root, in plies, without the Solver's
	Elapsed         time.Duration
	TableFill       float64 // share of the table used by this search, estimated
}

// add adds o's counts to s; the longest path is the longer one.
func (s *Stats) add(o *Stats) {
	s.Nodes += o.Nodes
	s.QuiescenceNodes += o.QuiescenceNodes
	s.SolverNodes += o.SolverNodes
	s.Leaves += o.Leaves
	s.TableProbes += o.TableProbes
	s.TableHits += o.TableHits
	s.TableCollisions += o.TableCollisions
	s.Cutoffs += o.Cutoffs
	s.FirstCutoffs += o.FirstCutoffs
	s.SelDepth = max(s.SelDepth, o.SelDepth)
}

// HitRate returns the share of table probes that found the position.
func (s *Stats) HitRate() float64 { return share(s.TableHits, s.TableProbes) }

// FirstCutoffRate returns the share of cutoffs by the first move, a measure of move
// ordering.
func (s *Stats) FirstCutoffRate() float64 { return share(s.FirstCutoffs, s.Cutoffs) }

// NodesPerSecond returns the speed, 0 if no time was taken.
func (s *Stats) NodesPerSecond() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Nodes) / s.Elapsed.Seconds()
}

// Branching returns the effective branching factor of a search of one thread
// that completed depth: the number b for which b^depth is its number of nodes.
func (s *Stats) Branching(depth int) float64 {
	if depth <= 0 || s.Nodes <= 0 {
		return 0
	}
	return math.Pow(float64(s.Nodes), 1/float64(depth))
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
