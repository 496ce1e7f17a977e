package alphabeta

import (
	"slices"

	"github.com/carozero/carozero/game"
)

// rootMove is a move at the root. line begins with it; score and line are of
// the iteration depth, the last that gave the move a result. current and
// currentLine are the result of the search under way, current being -infinity
// unless the move was the first or better than those before it.
type rootMove struct {
	ScoredMove
	score       Score
	depth       int
	line        pvLine
	current     Score
	currentLine pvLine
}

// commit makes the current result the move's result of an iteration.
func (m *rootMove) commit(depth int) {
	m.score, m.depth, m.line = m.current, depth, m.currentLine
}

// root is a worker's root and the state of its iterations.
type root struct {
	moves     []rootMove // best first
	width     int        // moves of which a score is wanted
	depth     int        // of the current iteration
	completed int        // of the last one completed
	deferred  []int      // scratch: indices of moves; see rootLoop
	failHigh  Score      // by which the move now searched first left its window upwards, or -infinity
}

// listRoot lists the moves of the root that are not barred: those that win at once
// first, the rest in the order of the stages and hints. It falls back on the rules
// if the Picker lists nothing, or nothing else. A nil barred bars nothing.
func (w *worker) listRoot(width int, barred func(game.Move) bool) {
	r := &w.root
	r.moves = r.moves[:0]
	r.depth, r.completed = 0, 0
	w.startPick(0, MaxDepth, noMove)
	w.wins = w.pos.Wins(w.wins[:0])
	for _, m := range w.wins {
		r.add(w.parts.Picker.Describe(m))
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
	w.stack[0].pick = movePicker{}
	r.width = max(1, width)
	f := &w.stack[0]
	f.eval = w.evaluate(noEval)
	for i := range r.moves {
		r.moves[i].score = f.eval
	}
}

// addLegal adds all legal moves that are not barred, all of them if that leaves
// none.
func (r *root) addLegal(w *worker, barred func(game.Move) bool) {
	moves := w.pos.Moves(nil)
	all := barred == nil || !slices.ContainsFunc(moves, func(m game.Move) bool { return !barred(m) })
	for _, m := range moves {
		if all || !barred(m) {
			r.add(w.parts.Picker.Describe(m))
		}
	}
}

// add appends a move without a score.
func (r *root) add(e ScoredMove) {
	m := rootMove{ScoredMove: e, current: -infinity}
	m.line.only(e.Move)
	r.moves = append(r.moves, m)
}

// moveToFront puts the table's move before the others.
func (r *root) moveToFront(m game.Move) {
	i := slices.IndexFunc(r.moves, func(rm rootMove) bool { return rm.Move == m })
	if i > 0 {
		rm := r.moves[i]
		copy(r.moves[1:i+1], r.moves[:i])
		r.moves[0] = rm
	}
}

// sort orders the moves with indices from..to-1 by the results of this
// iteration; those without one keep their order.
func (r *root) sort(from, to int) {
	slices.SortStableFunc(r.moves[from:to], func(a, b rootMove) int { return int(b.current - a.current) })
}

// loses reports whether the move claims a loss.
func (m *rootMove) loses() bool { return m.score < 0 && m.score.decided() }

// sortByDepth orders the moves by the depth of their scores and, where that is
// equal, by these. Moves that claim a loss come last: of others, even those that
// were searched less deep, no such thing is known.
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
		}
		return int(b.score - a.score)
	})
}

// searchRoot searches the moves from the given index on in a window and
// returns the best score. A move that is better than those before it gets its
// score and line; the others are only known to be worse.
func (w *worker) searchRoot(alpha, beta Score, from int) Score {
	r := &w.root
	for i := from; i < len(r.moves); i++ {
		r.moves[i].current = -infinity
	}
	f := &w.stack[0]
	f.nTried = 0
	nd := node{alpha: alpha, beta: beta, depth: r.depth, pv: true}
	best := -infinity
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
		w.play(0, &m.ScoredMove)
		score := w.child(&nd, &m.ScoredMove, count, reduced)
		w.pos.Undo()
		loop.finishSearch()
		if w.stopped {
			return 0
		}
		if score <= best {
			continue
		}
		best = score
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

// rootLoop is how far a search of the root is through its moves: as they stand,
// but those that another thread is searching after all others.
type rootLoop struct {
	deferral
	root    *root
	at      int // index of the next move
	resumed int // of those deferred, handed out since
}

// newRootLoop begins with the moves from an index on.
func (w *worker) newRootLoop(from int) rootLoop {
	w.root.deferred = w.root.deferred[:0]
	return rootLoop{deferral: w.newDeferral(), root: &w.root, at: from}
}

// next returns the index of the next move to search, the first in any case.
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
