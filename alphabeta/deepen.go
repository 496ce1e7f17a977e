package alphabeta

import "github.com/carozero/carozero/game"

// deepen searches iteration by iteration until the last one is done or the
// search has to end, and calls progress after each.
func (w *worker) deepen(last int, progress func()) {
	r := &w.root
	r.prefer(w.rootHint())
	for r.depth = 1; r.depth <= last; r.depth++ {
		if !w.iterate() {
			break
		}
		r.completed = r.depth
		w.note()
		progress()
		if w.settled() || w.enough() {
			break
		}
	}
}

// enough reports whether the time for another iteration is better saved.
func (w *worker) enough() bool {
	if w.helper {
		return w.shared.stop.Load()
	}
	return w.shared.late(w.pace.factor()) || w.shared.timed && len(w.root.moves) == 1
}

// note takes down the iteration just completed.
func (w *worker) note() {
	best := &w.root.moves[0]
	w.pace.note(best.entry.Move, best.score)
	w.iterations = append(w.iterations, Iteration{
		Depth: w.root.depth, SelDepth: w.stats.SelDepth, Move: best.entry.Move, Score: best.score,
		Nodes: w.stats.Nodes, Elapsed: w.shared.elapsed(),
	})
}

// rootHint returns the table's move for the root.
func (w *worker) rootHint() game.Move {
	return w.hashMove(w.table.probe(w.pos.Hash()).move)
}

// iterate searches one iteration and reports whether it was completed. If it
// was not, moves that it had found to be better than the best before are kept.
func (w *worker) iterate() bool {
	r := &w.root
	for i := range min(r.width, len(r.moves)) {
		w.aspire(i)
		if w.stopped {
			w.salvage(i)
			return false
		}
		r.sort(i, len(r.moves))
		r.moves[i].commit(r.depth)
		// A selective search may think better of a line searched later.
		r.sort(0, i+1)
	}
	w.remember(&r.moves[0])
	return true
}

// aspire searches the moves from index i on in a window around the score that
// the move there had, which it widens until the best score lies within.
func (w *worker) aspire(i int) {
	expected := w.root.moves[i].score
	delta := w.opts.Aspiration
	alpha, beta := -infinity, infinity
	w.root.high = -infinity
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
			w.root.high = score
			beta = score + delta
		default:
			return
		}
		if score.decided() || delta > MaxEval/2 {
			alpha, beta = -infinity, infinity
		}
	}
}

// salvage ends an iteration that was cut short while the moves from index i on
// were searched. If the first of them has a result, or others have been found
// to be better than it, these count; so does a score that left the window
// upwards before the search was cut short.
func (w *worker) salvage(i int) {
	r := &w.root
	m := &r.moves[i]
	switch {
	case m.fresh > -infinity:
		r.sort(i, len(r.moves))
	case r.high > -infinity:
		m.fresh = r.high
	}
	if m.fresh > -infinity {
		m.commit(r.depth)
	}
	r.rank()
}

// remember stores the result of the root.
func (w *worker) remember(m *rootMove) {
	w.table.store(w.pos.Hash(), entry{
		move: m.entry.Move, score: m.score, eval: w.stack[0].eval, depth: w.root.depth, bound: exact,
	})
}

// settled reports whether further iterations cannot be expected to change
// anything: every line wanted claims a win within the depth searched, or a loss
// within half of it.
func (w *worker) settled() bool {
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
