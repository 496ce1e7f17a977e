package alphabeta

import (
	"slices"

	"github.com/carozero/carozero/game"
)

// rootMove is a move at the root. line begins with it; score and line are those of
// iteration depth, the last that gave the move a result. current and currentLine are
// the result in the current iteration; current is -infinity unless the move was the
// first or better than those before it.
type rootMove struct {
	ScoredMove
	score       Score
	depth       int
	line        pvLine
	current     Score
	currentLine pvLine
	resistance  int  // see Resistance; set as soon as a loss is claimed
	bounded     bool // score is an upper bound without a search; see addUnlisted
}

// commit makes the current result the move's result of an iteration.
func (m *rootMove) commit(depth int) {
	m.score, m.depth, m.line, m.bounded = m.current, depth, m.currentLine, false
}

// root is a worker's root and the state of its iterations.
type root struct {
	moves     []rootMove // best first
	width     int        // number of lines wanted
	depth     int        // of the current iteration
	completed int        // of the last one completed
	deferred  []int      // scratch: indices of moves; see rootLoop
	failHigh  Score      // score with which the first move now searched failed high, or -infinity
	rated     bool       // resistance is set
}

// listRoot lists the moves of the root that are not barred: immediate wins first, then
// the moves in the order of stages and hints. If the Picker lists no other moves, it
// takes all legal ones. A nil barred bars nothing.
func (w *worker) listRoot(width int, barred func(game.Move) bool) {
	r := &w.root
	w.barred = barred
	r.moves = r.moves[:0]
	r.depth, r.completed, r.rated = 0, 0, false
	w.startPick(0, MaxDepth, noMove)
	w.wins = w.pos.Wins(w.wins[:0])
	for _, m := range w.wins {
		r.add(w.heuristics.Picker.Describe(m))
	}
	for {
		e, ok := w.next(0)
		if !ok {
			break
		}
		if !slices.Contains(w.wins, e.Move) {
			r.add(e)
		}
	}
	if barred != nil {
		r.moves = slices.DeleteFunc(r.moves, func(m rootMove) bool { return barred(m.Move) })
	}
	if len(r.moves) == 0 {
		r.addLegal(w, barred)
	}
	w.putLosingLast()
	w.stack[0].pick = movePicker{}
	r.width = max(1, width)
	f := &w.stack[0]
	f.eval = w.evaluate(noEval)
	for i := range r.moves {
		r.moves[i].score = f.eval
	}
}

// putLosingLast moves the moves after which the opponent wins at once to the end: a
// Picker may list some, and a search of a few nodes would not notice. The moves that it
// plays do not count as nodes.
func (w *worker) putLosingLast() {
	r := &w.root
	if len(r.moves) < 2 || w.heuristics.Evaluation.Quiet() {
		return
	}
	var lost []rootMove
	r.moves = slices.DeleteFunc(r.moves, func(m rootMove) bool {
		w.pos.Play(m.Move)
		w.wins = w.wins[:0]
		if w.pos.Outcome() == game.Undecided {
			w.wins = w.pos.Wins(w.wins)
		}
		w.pos.Undo()
		if len(w.wins) > 0 {
			lost = append(lost, m)
		}
		return len(w.wins) > 0
	})
	r.moves = append(r.moves, lost...)
}

// addLegal adds all legal moves that are not barred, or all legal moves if all are
// barred.
func (r *root) addLegal(w *worker, barred func(game.Move) bool) {
	moves := w.pos.Moves(nil)
	all := barred == nil || !slices.ContainsFunc(moves, func(m game.Move) bool { return !barred(m) })
	for _, m := range moves {
		if all || !barred(m) {
			r.add(w.heuristics.Picker.Describe(m))
		}
	}
}

// add appends a move without a score.
func (r *root) add(e ScoredMove) {
	m := rootMove{ScoredMove: e, current: -infinity}
	m.line.only(e.Move)
	r.moves = append(r.moves, m)
}

// index returns the index of a move, -1 if it is not listed.
func (r *root) index(m game.Move) int {
	return slices.IndexFunc(r.moves, func(rm rootMove) bool { return rm.Move == m })
}

// moveToFront puts a move before the others.
func (r *root) moveToFront(m game.Move) {
	if i := r.index(m); i > 0 {
		rm := r.moves[i]
		copy(r.moves[1:i+1], r.moves[:i])
		r.moves[0] = rm
	}
}

// sort orders the moves with indices from..to-1 by the results of this
// iteration, those that lose equally late by their resistance; those without a
// result keep their order.
func (r *root) sort(from, to int) {
	slices.SortStableFunc(r.moves[from:to], func(a, b rootMove) int {
		if a.current == b.current && a.current.lost() && a.current > -infinity {
			return b.resistance - a.resistance
		}
		return int(b.current - a.current)
	})
}

// loses reports whether the move claims a loss.
func (m *rootMove) loses() bool { return m.score.lost() }

// completeLoss ends an iteration after which every wanted line claims a loss: no other
// move loses later than the last of them. If the Picker listed a single move, or fewer
// than the wanted lines, it adds the other legal moves: they are not better, but are
// shown or compared.
func (w *worker) completeLoss() {
	r := &w.root
	last := r.moves[min(r.width, len(r.moves))-1]
	if !last.loses() {
		return
	}
	for i := range r.moves {
		if m := &r.moves[i]; m.current == -infinity {
			m.score, m.depth, m.bounded = last.score, r.depth, true
		}
	}
	if w.heuristics.Resistance != nil && (len(r.moves) == 1 || len(r.moves) < r.width) {
		w.addUnlisted(last.score)
	}
}

// addUnlisted adds the legal moves that are neither listed nor barred, the most
// resistant first, with an upper bound as their score.
func (w *worker) addUnlisted(score Score) {
	r := &w.root
	listed := len(r.moves)
	for _, m := range w.pos.Moves(nil) {
		if r.index(m) < 0 && (w.barred == nil || !w.barred(m)) {
			r.add(w.heuristics.Picker.Describe(m))
			last := &r.moves[len(r.moves)-1]
			last.score, last.bounded = score, true
		}
	}
	r.rated = false
	w.rateResistance()
	slices.SortStableFunc(r.moves[listed:], func(a, b rootMove) int { return b.resistance - a.resistance })
}

// rateResistance sets the resistance of the moves, unless that is done.
func (w *worker) rateResistance() {
	r := &w.root
	if r.rated || w.heuristics.Resistance == nil {
		return
	}
	r.rated = true
	for i := range r.moves {
		r.moves[i].resistance = w.heuristics.Resistance.Resist(r.moves[i].Move)
	}
}

// sortByDepth orders the moves by the depth of their scores, then by the scores. Moves
// that claim a loss come last, even behind moves searched less deep, which claim none.
func (r *root) sortByDepth() {
	slices.SortStableFunc(r.moves, func(a, b rootMove) int {
		switch {
		case a.loses() != b.loses():
			if a.loses() {
				return 1
			}
			return -1
		case a.depth != b.depth:
			return b.depth - a.depth
		case a.score == b.score && a.loses():
			return b.resistance - a.resistance
		}
		return int(b.score - a.score)
	})
}

// searchRoot searches the moves from the given index on in a window and returns the best
// score. A move that is better than those before it gets its score and line; the others
// are only known to be worse. If the best score is a loss, a move with more resistance
// is better if it loses equally late.
func (w *worker) searchRoot(alpha, beta Score, from int) Score {
	r := &w.root
	for i := from; i < len(r.moves); i++ {
		r.moves[i].current = -infinity
	}
	f := &w.stack[0]
	f.nTried = 0
	nd := node{alpha: alpha, beta: beta, depth: r.depth, pv: true}
	best, resistance := -infinity, 0
	loop := w.newRootLoop(from)
	for {
		i, ok := loop.next(from)
		if !ok {
			break
		}
		m := &r.moves[i]
		count := i - from + 1
		reduced := 0
		if m.Kind == Quiet && i >= r.width {
			reduced = w.reduction(&nd, &m.ScoredMove, count)
		}
		if !w.countNode() {
			return 0
		}
		raised := nd.alpha
		asGood := best.lost() && best == raised && m.resistance > resistance
		if asGood {
			nd.alpha--
		}
		w.play(0, &m.ScoredMove)
		score := w.child(&nd, &m.ScoredMove, count, reduced)
		w.pos.Undo()
		loop.finishSearch()
		if w.stopped {
			return 0
		}
		if score < best || score == best && !asGood {
			nd.alpha = raised
			continue
		}
		if best = score; best.lost() {
			w.rateResistance()
		}
		resistance = m.resistance
		if score > nd.alpha || count == 1 {
			m.current = score
			m.currentLine.set(m.Move, &w.lines[1])
		}
		if score >= beta {
			return best
		}
		nd.alpha = max(nd.alpha, score)
	}
	return best
}

// rootLoop iterates over the moves of the root in their order, but defers those that
// another thread is searching to the end.
type rootLoop struct {
	deferral
	root    *root
	at      int // index of the next move
	resumed int // deferred moves that have been returned since
}

// newRootLoop begins at an index.
func (w *worker) newRootLoop(from int) rootLoop {
	w.root.deferred = w.root.deferred[:0]
	return rootLoop{deferral: w.newDeferral(), root: &w.root, at: from}
}

// next returns the index of the next move to search; the first is never deferred.
func (l *rootLoop) next(from int) (int, bool) {
	r := l.root
	for ; l.at < len(r.moves); l.at++ {
		m := r.moves[l.at].Move
		if l.at == from || !l.deferMove(m) {
			l.startSearch(m)
			l.at++
			return l.at - 1, true
		}
		r.deferred = append(r.deferred, l.at)
	}
	if l.resumed == len(r.deferred) {
		return 0, false
	}
	i := r.deferred[l.resumed]
	l.resumed++
	l.startSearch(r.moves[i].Move)
	return i, true
}

// deepen searches iteration by iteration until the last one is done or the
// search has to end, and calls progress after each.
func (w *worker) deepen(last int, progress func()) {
	r := &w.root
	r.moveToFront(w.rootTableMove())
	for r.depth = 1; r.depth <= last; r.depth++ {
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
