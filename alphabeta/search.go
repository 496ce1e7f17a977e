package alphabeta

import "github.com/carozero/carozero/game"

// node is what the parent asks of a node: its score, if that lies between
// alpha and beta, else a bound on the same side of the window.
type node struct {
	alpha, beta Score
	depth, ply  int
	pv          bool // on a principal variation: never pruned, cut only by a solved entry; see answers
	cut         bool // expected to score beta or more
}

// search returns the score of w.pos for its side to move. It is void if
// w.stopped.
func (w *worker) search(nd node) Score {
	if score, ok := w.over(nd.ply); ok {
		return score
	}
	if nd.depth <= 0 || nd.ply >= maxPly {
		return w.quiesce(nd.alpha, nd.beta, nd.ply, 0)
	}
	hash := w.pos.Hash()
	known := w.table.probe(hash)
	w.stats.TableProbes++
	if known.bound != noBound {
		w.stats.TableHits++
		if score, ok := w.answers(&nd, &known); ok {
			w.recall(nd.ply, known.move)
			return score
		}
	}
	f := &w.stack[nd.ply]
	f.eval = w.evaluate(known.eval)
	if score, ok := w.stands(&nd); ok {
		return score
	}
	if w.roads != nil {
		return w.attend(&nd, hash, &known)
	}
	return w.expand(&nd, hash, &known)
}

// answers returns the score that the table's entry gives nd, if it decides it.
// On a principal variation it does if it is solved and, where other threads may
// have searched the node with an open window, if it is exact.
func (w *worker) answers(nd *node, known *entry) (Score, bool) {
	score, ok := known.cuts(nd)
	return score, ok && (!nd.pv || known.depth == solved || w.roads != nil && known.bound == exact)
}

// expand returns the score of a node above the horizon that neither the table
// nor its evaluation has decided, and stores it. It is void if w.stopped.
func (w *worker) expand(nd *node, hash uint64, known *entry) Score {
	f := &w.stack[nd.ply]
	if score, ok := w.solve(nd, hash, known); ok || w.stopped {
		return score
	}
	first := w.hashMove(known.move)
	if r := w.opts.InternalReduction; first == noMove && r > 0 && nd.depth >= r {
		nd.depth--
	}
	w.startPick(nd.ply, first)
	alpha := nd.alpha
	best, move := w.moves(nd, f)
	if w.stopped {
		return 0
	}
	w.table.store(hash, entry{
		move: move, score: best.toNode(nd.ply), eval: f.eval, depth: nd.depth, bound: boundOn(best, alpha, nd.beta),
	})
	return best
}

// boundOn says how a score found with that window relates to the true one.
func boundOn(score, alpha, beta Score) bound {
	switch {
	case score >= beta:
		return lower
	case score <= alpha:
		return upper
	}
	return exact
}

// recall makes the table's move the line at ply.
func (w *worker) recall(ply int, m game.Move) {
	if m != noMove && w.pos.Legal(m) {
		w.lines[ply].only(m)
	}
}

// moves searches the moves of a node whose picker is ready, and returns the
// best score with the move that raised alpha, if one did. It raises nd.alpha.
func (w *worker) moves(nd *node, f *frame) (best Score, move game.Move) {
	best, move = -infinity, noMove
	t := w.newTrials(nd)
	f.nTried = 0
	for {
		e, ok := w.trial(nd, f, &t, best)
		if !ok {
			break
		}
		if !w.spend() {
			return 0, noMove
		}
		w.play(nd.ply, &e.Entry)
		score := w.child(nd, &e.Entry, e.count, e.reduced)
		w.pos.Undo()
		t.done()
		if w.stopped {
			return 0, noMove
		}
		if score > best {
			best = score
			if score > nd.alpha {
				move = e.Move
				if w.raise(nd, &e.Entry, e.count, score) {
					return best, move
				}
			}
		}
		f.note(&e.Entry)
	}
	return best, move
}

// raise makes score, of the move e that was the count-th, the new alpha and
// reports whether it is a cut-off.
func (w *worker) raise(nd *node, e *Entry, count int, score Score) bool {
	if score >= nd.beta {
		w.lines[nd.ply].only(e.Move)
		w.cutoff(nd, e, count)
		return true
	}
	w.lines[nd.ply].set(e.Move, &w.lines[nd.ply+1])
	nd.alpha = score
	return false
}

// child returns the score, for the parent nd, of the move e that has just been
// played and was its count-th. It is searched reduced by that many plies, and
// again without the reduction if it turns out better than alpha; the first move
// is never reduced.
func (w *worker) child(nd *node, e *Entry, count, reduced int) Score {
	depth := nd.depth - 1
	granted := w.stack[nd.ply].granted
	if e.Extend && granted < w.opts.Extensions {
		granted++
		depth++
	}
	w.stack[nd.ply+1].granted = granted
	next := node{alpha: -nd.beta, beta: -nd.alpha, depth: depth, ply: nd.ply + 1}
	if count > 1 {
		if w.opts.Scout.On() {
			next.alpha = -nd.alpha - 1
		}
		if reduced > 0 && depth > 1 {
			next.depth, next.cut = max(1, depth-reduced), true
			score := -w.search(next)
			if score <= nd.alpha || w.stopped {
				return score
			}
			next.depth = depth
		}
		next.cut = !nd.cut
		score := -w.search(next)
		if score <= nd.alpha || score >= nd.beta || next.alpha == -nd.beta || w.stopped {
			return score
		}
		next.alpha = -nd.beta
	}
	next.pv, next.cut = nd.pv, !nd.pv && !nd.cut
	return -w.search(next)
}

// cutoff takes note of the move e, the count-th, that scored beta or more.
func (w *worker) cutoff(nd *node, e *Entry, count int) {
	w.stats.Cutoffs++
	if count == 1 {
		w.stats.FirstCutoffs++
	}
	if e.Kind == Quiet {
		w.learn(nd.ply, nd.depth, e)
	}
}
