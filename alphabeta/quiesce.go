package alphabeta

// quiesce returns the score of w.pos, in which nobody wins at once, after the
// noisy moves; depth counts the plies below the horizon. It is void if
// w.stopped.
func (w *worker) quiesce(alpha, beta Score, ply, depth int) Score {
	known := entry{move: noMove, eval: noEval}
	if depth == 0 {
		known = w.table.probe(w.pos.Hash())
		w.stats.TableProbes++
		if known.bound != noBound {
			w.stats.TableHits++
			if score, ok := known.cuts(&node{alpha: alpha, beta: beta, ply: ply}); ok && beta == alpha+1 {
				return score
			}
		}
		if score, ok := w.solve(0, ply); ok || w.stopped {
			return score
		}
	}
	if w.parts.Quiescence == nil || ply >= maxPly {
		return w.evaluate(known.eval)
	}
	eval := w.evaluate(known.eval)
	base := 0
	if ply > 0 {
		base = w.stack[ply-1].pick.end
	}
	noisy, forced := w.parts.Quiescence.Noisy(depth, w.arena[base:base])
	best := eval
	if forced && len(noisy) > 0 {
		best = -infinity
	}
	if best >= beta || len(noisy) == 0 {
		return best
	}
	p := &w.stack[ply].pick
	*p = picker{base: base, at: base, end: base + len(noisy), hash: noMove}
	return w.resolve(alpha, beta, best, ply, depth)
}

// resolve searches the noisy moves that the picker at ply holds; best is what
// the side to move has without them.
func (w *worker) resolve(alpha, beta, best Score, ply, depth int) Score {
	alpha = max(alpha, best)
	for {
		e, ok := w.next(ply)
		if !ok {
			return best
		}
		if !w.spend() {
			return 0
		}
		w.stats.QuiescenceNodes++
		w.play(ply, &e)
		score, ok := w.over(ply + 1)
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
