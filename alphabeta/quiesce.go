package alphabeta

// quiesce returns the score of w.pos, in which nobody wins at once, after the noisy
// moves; depth counts the plies below the horizon. At the horizon it first asks the
// table, then the solver unless the evaluation causes a cutoff. The score is invalid if
// w.stopped.
func (w *worker) quiesce(alpha, beta Score, ply, depth int) Score {
	nd := node{alpha: alpha, beta: beta, ply: ply, pv: beta != alpha+1}
	if ply >= maxPly {
		return w.evaluate(noEval)
	}
	if depth > 0 {
		best, open := w.standPat(&nd, depth, w.evaluate(noEval))
		if open {
			best = w.searchNoisy(nd, depth, best)
		}
		return best
	}
	w.stats.Leaves++
	hash := w.pos.Hash()
	known := w.table.probe(hash)
	w.stats.TableProbes++
	if known.bound != noBound {
		w.stats.TableHits++
		if score, ok := w.tableCutoff(&nd, &known); ok {
			w.setTableLine(ply, known.move)
			return score
		}
	}
	eval := w.evaluate(known.eval)
	best, open := w.standPat(&nd, 0, eval)
	if best < beta {
		if score, ok := w.solve(&nd, hash, &known); ok || w.stopped {
			return score
		}
	}
	if open {
		best = w.searchNoisy(nd, 0, best)
	}
	if w.stopped {
		return 0
	}
	e := ttEntry{move: noMove, score: best.toNode(ply), eval: eval, bound: boundOn(best, alpha, beta)}
	if l := &w.lines[ply]; l.n > 0 {
		e.move = l.moves[0]
	}
	w.table.store(hash, e)
	return best
}

// standPat returns the score without a noisy move, and whether there are noisy moves to
// search, which are then in the node's move picker.
func (w *worker) standPat(nd *node, depth int, eval Score) (best Score, open bool) {
	if w.heuristics.Quiescence == nil || !w.opts.Quiescence.On() {
		return eval, false
	}
	base := 0
	if nd.ply > 0 {
		base = w.stack[nd.ply-1].pick.end
	}
	noisy, forced := w.heuristics.Quiescence.Noisy(depth, w.arena[base:base])
	if len(noisy) == 0 {
		return eval, false
	}
	if forced {
		eval = -infinity
	}
	w.stack[nd.ply].pick = movePicker{base: base, at: base, end: base + len(noisy), tableMove: noMove}
	return eval, eval < nd.beta
}

// searchNoisy searches the noisy moves in the move picker of nd; best is the score
// without them. The node is passed by value: once a profile inlines quiesce here, its
// address would escape.
func (w *worker) searchNoisy(nd node, depth int, best Score) Score {
	alpha, beta, ply := max(nd.alpha, best), nd.beta, nd.ply
	for {
		e, ok := w.next(ply)
		if !ok {
			return best
		}
		if !w.countNode() {
			return 0
		}
		w.stats.QuiescenceNodes++
		w.play(ply, &e)
		score, ok := w.terminal(ply + 1)
		if !ok {
			score, ok = w.endgame(ply + 1)
		}
		if !ok {
			score = w.quiesce(-beta, -alpha, ply+1, depth+1)
		}
		score = -score
		w.pos.Undo()
		if w.stopped {
			return 0
		}
		if score > best {
			best = score
			if score >= beta {
				w.lines[ply].only(e.Move)
				return best
			}
			if score > alpha {
				alpha = score
				w.lines[ply].set(e.Move, &w.lines[ply+1])
			}
		}
	}
}
