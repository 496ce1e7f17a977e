package alphabeta

import "github.com/carozero/carozero/game"

// node is what the parent asks of a node: its score, if that lies between
// alpha and beta, else a bound on the same side of the window.
type node struct {
	alpha, beta Score
	depth, ply  int
	pv          bool // on a principal variation: never cut by the table or pruned
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
	if w.opts.MateDistance.On() && nd.narrow() {
		return nd.alpha
	}
	hash := w.pos.Hash()
	known := w.table.probe(hash)
	w.stats.TableProbes++
	if known.bound != noBound {
		w.stats.TableHits++
		if !nd.pv {
			if score, ok := known.cuts(&nd); ok {
				return score
			}
		}
	}
	if score, ok := w.solve(nd.depth, nd.ply); ok || w.stopped {
		return score
	}
	f := &w.stack[nd.ply]
	f.eval = w.evaluate(known.eval)
	w.startPick(nd.ply, noMove)
	if score, ok := w.prune(&nd, f); ok || w.stopped {
		return score
	}
	first := w.hashMove(known.move)
	if r := w.opts.InternalReduction; first == noMove && r > 0 && nd.depth >= r {
		nd.depth--
	}
	w.startPick(nd.ply, first)
	alpha := nd.alpha
	best, move := w.moves(&nd, f)
	if w.stopped {
		return 0
	}
	e := entry{move: move, score: best.toNode(nd.ply), eval: f.eval, depth: nd.depth, bound: exact}
	switch {
	case best >= nd.beta:
		e.bound = lower
	case best <= alpha:
		e.bound = upper
	}
	w.table.store(hash, e)
	return best
}

// narrow cuts the window down to what is possible in a position that is not
// decided and cannot be won at once: a loss by the next move at the worst, a
// win by the opponent's at the best. It reports whether nothing is left.
func (nd *node) narrow() bool {
	nd.alpha = max(nd.alpha, LossIn(nd.ply+1))
	nd.beta = min(nd.beta, WinIn(nd.ply+2))
	return nd.alpha >= nd.beta
}

// moves searches the moves of a node whose picker is ready, and returns the
// best score with the move that raised alpha, if one did. It raises nd.alpha.
func (w *worker) moves(nd *node, f *frame) (best Score, move game.Move) {
	best, move = -infinity, noMove
	count := 0
	futile := w.futile(nd, f)
	f.nTried = 0
	for {
		e, ok := w.next(nd.ply)
		if !ok {
			break
		}
		count++
		if futile && e.Kind == Quiet && count > 1 && best > -leastWin {
			continue
		}
		reduction := 0
		if e.Kind == Quiet {
			reduction = w.reduction(nd, f, &e, count)
		}
		if !w.spend() {
			return 0, noMove
		}
		w.play(nd.ply, &e)
		score := w.child(nd, &e, count, reduction)
		w.pos.Undo()
		if w.stopped {
			return 0, noMove
		}
		if score > best {
			best = score
			if score > nd.alpha {
				move = e.Move
				if score >= nd.beta {
					w.lines[nd.ply].only(move)
					w.cutoff(nd, &e, count)
					return best, move
				}
				w.lines[nd.ply].set(move, &w.lines[nd.ply+1])
				nd.alpha = score
			}
		}
		if e.Kind == Quiet && f.nTried < maxTried {
			f.tried[f.nTried] = e.Slot
			f.nTried++
		}
	}
	if count == 0 {
		return f.eval, noMove
	}
	return best, move
}

// child returns the score, for the parent nd, of the move e that has just been
// played and was its count-th.
func (w *worker) child(nd *node, e *Entry, count, reduction int) Score {
	depth := nd.depth - 1
	if e.Extend && w.opts.Extensions.On() && nd.ply < 2*w.root.depth {
		depth++
	}
	next := node{alpha: -nd.beta, beta: -nd.alpha, depth: depth, ply: nd.ply + 1}
	if count > 1 {
		if w.opts.Scout.On() {
			next.alpha = -nd.alpha - 1
		}
		if reduction > 0 {
			next.depth, next.cut = max(min(1, depth), depth-reduction), true
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
