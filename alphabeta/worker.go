package alphabeta

import "github.com/carozero/carozero/game"

// worker is one thread's search: its position, what it has learnt and its
// path. Only the table, the control, the roads and the posts are shared.
type worker struct {
	opts   *Options
	shared *control
	table  *table
	roads  *roads // nil if this is the only thread
	late   *reductions
	posts  posts
	leave  leave
	all    []*worker // of the search, w among them; they call each other away
	helper bool      // whether another worker decides when there was enough time

	parts Parts
	pos   game.Position // parts.Position

	hist  history
	stack [maxPly + 2]frame
	lines [maxPly + 2]line
	arena []Entry     // of all nodes on the path, one after the other
	wins  []game.Move // scratch
	root  root
	pace  pace

	left       int64 // nodes claimed and not yet used
	chunk      int64 // nodes to claim at a time
	looked     int64 // time of the last look at the clock
	stopped    bool  // everything returned from now on is void
	stats      Stats
	iterations []Iteration
}

// bind prepares w for a search from pos, which it takes over.
func (w *worker) bind(g Game, pos game.Position) error {
	parts, err := g.Bind(pos)
	if err != nil {
		return err
	}
	w.parts, w.pos = parts, parts.Position
	w.hist.resize(parts.Slots)
	w.hist.age()
	most := w.pos.MaxMoves()
	if n := most * (maxPly + 2); len(w.arena) < n {
		w.arena = make([]Entry, n)
	}
	if cap(w.wins) < most {
		w.wins = make([]game.Move, 0, most)
	}
	w.stack = [maxPly + 2]frame{}
	w.left, w.stopped = 0, false
	w.leave.going = false
	w.posts.clear()
	w.chunk, w.looked = firstChunk, w.shared.start
	w.stats = Stats{}
	w.iterations = make([]Iteration, 0, MaxDepth)
	w.pace.reset(parts.Evaluation.Margin(1))
	return nil
}

// spend counts a node before it is played. It reports false if the search has to
// end instead, and then always, or to leave a node; see relieved.
func (w *worker) spend() bool {
	if w.relieved() || w.left <= 0 && !w.claim(w.chunk) {
		return false
	}
	w.left--
	w.stats.Nodes++
	return true
}

// claim asks for n more nodes.
func (w *worker) claim(n int64) bool {
	if w.stopped {
		return false
	}
	var now int64
	if w.shared.timed {
		now = w.shared.clock()
		w.adapt(now)
	}
	w.left += w.shared.claim(n, now)
	w.stopped = w.left <= 0
	return !w.stopped
}

// The time between two looks at the clock that is aimed at, in nanoseconds, and
// the nodes between them: at first, at the least and at most.
const (
	lookEvery  = 400_000
	firstChunk = 64
	leastChunk = 8
	mostChunk  = 1024
)

// adapt chooses how many nodes to claim at a time from how long the last ones
// took.
func (w *worker) adapt(now int64) {
	took := now - w.looked
	w.looked = now
	switch {
	case took > 2*lookEvery:
		w.chunk = max(leastChunk, w.chunk/2)
	case took < lookEvery:
		w.chunk = min(mostChunk, w.chunk*2)
	}
}

// play makes the move e from the node at ply.
func (w *worker) play(ply int, e *Entry) {
	f := &w.stack[ply]
	f.move, f.slot = e.Move, e.Slot
	w.pos.Play(e.Move)
}

// over returns the score at ply of a position that is decided: the game is
// over, or the side to move can win at once. The latter's line is that move.
func (w *worker) over(ply int) (Score, bool) {
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

// evaluate returns the static evaluation, which known may have.
func (w *worker) evaluate(known Score) Score {
	if known != noEval {
		return known
	}
	return max(-MaxEval, min(MaxEval, w.parts.Evaluation.Evaluate()))
}

// hashMove returns the move of a table entry if it is one here.
func (w *worker) hashMove(m game.Move) game.Move {
	if m != noMove && !w.pos.Legal(m) {
		w.stats.TableAliens++
		return noMove
	}
	return m
}
