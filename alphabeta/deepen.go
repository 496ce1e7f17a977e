package alphabeta

import "github.com/carozero/carozero/game"

// deepen searches iteration by iteration until the last one is done or the
// search has to end, and calls progress after each. A nil order changes nothing.
func (w *worker) deepen(last int, order func() []game.Move, progress func()) {
	r := &w.root
	r.moveToFront(w.rootTableMove())
	for r.depth = 1; r.depth <= last; r.depth++ {
		if order != nil {
			r.prefer(order())
		}
		if !w.iterate() {
			break
		}
		r.completed = r.depth
		w.completeLoss()
		w.addIteration()
		progress()
		if w.linesDecided() || w.stopIterating() {
			break
		}
	}
}

// stopIterating reports whether another iteration is not worth its time.
func (w *worker) stopIterating() bool {
	if w.helper {
		return w.control.stop.Load()
	}
	if w.control.won && w.root.moves[0].score >= leastWin {
		return true
	}
	return w.control.softLimitReached(w.timeManager.factor()) || w.control.timed && len(w.root.moves) == 1
}

// addIteration records the iteration just completed.
func (w *worker) addIteration() {
	best := &w.root.moves[0]
	w.timeManager.update(best.Move, best.score)
	w.iterations = append(w.iterations, Iteration{
		Depth: w.root.depth, SelDepth: w.stats.SelDepth, Move: best.Move, Score: best.score,
		Nodes: w.stats.Nodes, Elapsed: w.control.elapsed(),
	})
}

// rootTableMove returns the table's move for the root.
func (w *worker) rootTableMove() game.Move {
	return w.tableMove(w.table.probe(w.pos.Hash()).move)
}

// iterate searches one iteration and reports whether it was completed. If not, better
// moves that it had found by then are kept.
func (w *worker) iterate() bool {
	r := &w.root
	for i := range min(r.width, len(r.moves)) {
		w.aspirationSearch(i)
		if w.stopped {
			w.keepPartial(i)
			return false
		}
		r.sort(i, len(r.moves))
		r.moves[i].commit(r.depth)
		// A selective search may score a later line higher.
		r.sort(0, i+1)
	}
	w.storeRoot(&r.moves[0])
	return true
}

// aspirationSearch searches the moves from index i on in a window around the last score
// of the move at i, and widens the window until the best score lies within.
func (w *worker) aspirationSearch(i int) {
	expected := w.root.moves[i].score
	delta := w.opts.Aspiration
	alpha, beta := -infinity, infinity
	w.root.failHigh = -infinity
	if delta > 0 && w.root.depth > 1 && !expected.decided() {
		alpha, beta = expected-delta, expected+delta
	}
	for {
		score := w.searchRoot(alpha, beta, i)
		if w.stopped {
			return
		}
		delta *= 3
		switch {
		case score <= alpha:
			alpha = score - delta
		case score >= beta:
			w.root.sort(i, len(w.root.moves))
			w.root.failHigh = score
			beta = score + delta
		default:
			return
		}
		if score.decided() || delta > MaxEval/2 {
			alpha, beta = -infinity, infinity
		}
	}
}

// keepPartial ends an iteration that was interrupted while it searched the moves from
// index i on. It keeps the result of the first of them and of better ones found since,
// and a score that failed high before the interruption.
func (w *worker) keepPartial(i int) {
	r := &w.root
	m := &r.moves[i]
	switch {
	case m.current > -infinity:
		r.sort(i, len(r.moves))
	case r.failHigh > -infinity:
		m.current = r.failHigh
	}
	if m.current > -infinity {
		m.commit(r.depth)
	}
	r.sortByDepth()
}

// storeRoot stores the result of the root in the table.
func (w *worker) storeRoot(m *rootMove) {
	w.table.store(w.pos.Hash(), ttEntry{
		move: m.Move, score: m.score, eval: w.stack[0].eval, depth: w.root.depth, bound: exact,
	})
}

// linesDecided reports whether further iterations are unlikely to change anything: every
// wanted line claims a win within the depth searched, or a loss within half of it.
func (w *worker) linesDecided() bool {
	r := &w.root
	for i := range min(r.width, len(r.moves)) {
		plies, ok := r.moves[i].score.Claim()
		if r.moves[i].score < 0 {
			plies *= 2
		}
		if !ok || plies > r.depth {
			return false
		}
	}
	return true
}
