package alphabeta

import "math"

// prune tries to give a node up without searching its moves. The node's picker
// must be empty. Nothing here is sound; nothing is tried on a principal
// variation or when the window is about claims.
func (w *worker) prune(nd *node, f *frame) (Score, bool) {
	if nd.pv || nd.beta != nd.alpha+1 || nd.alpha.decided() || nd.beta.decided() {
		return 0, false
	}
	if margin := w.parts.Evaluation.Margin(nd.depth); margin > 0 {
		if nd.depth <= w.opts.ReverseFutility && f.eval-margin >= nd.beta {
			return f.eval - margin, true
		}
		if nd.depth <= w.opts.Razoring && f.eval+2*margin <= nd.alpha {
			if score := w.quiesce(nd.alpha, nd.beta, nd.ply, 0); score <= nd.alpha || w.stopped {
				return score, true
			}
		}
	}
	if f.eval >= nd.beta && w.mayPass(nd) {
		return w.pass(nd)
	}
	return 0, false
}

// leastNull is the least depth at which a turn is skipped.
const leastNull = 3

// mayPass reports whether the null move is tried at nd, which it is not twice
// in a row.
func (w *worker) mayPass(nd *node) bool {
	return w.passer != nil && w.opts.NullMove > 0 && nd.depth >= leastNull &&
		nd.ply > 0 && w.stack[nd.ply-1].move != noMove && w.passer.CanPass()
}

// pass skips a turn: a position that is still good enough would be with a move.
// The score is never a claim, since no sequence of legal moves leads to it.
func (w *worker) pass(nd *node) (Score, bool) {
	if !w.spend() {
		return 0, true
	}
	f := &w.stack[nd.ply]
	f.move, f.slot = noMove, uint16(w.hist.slots)
	w.passer.Pass()
	score := -w.search(node{
		alpha: -nd.beta, beta: -nd.beta + 1,
		depth: nd.depth - 1 - w.opts.NullMove - nd.depth/4,
		ply:   nd.ply + 1, cut: !nd.cut,
	})
	w.passer.Unpass()
	if score < nd.beta || w.stopped {
		return 0, w.stopped
	}
	if score.decided() {
		score = nd.beta
	}
	return score, true
}

// futile reports whether the evaluation of a node is so far below its window
// that quiet moves can be skipped.
func (w *worker) futile(nd *node, f *frame) bool {
	if nd.pv || nd.depth > w.opts.Futility || nd.alpha.decided() {
		return false
	}
	margin := w.parts.Evaluation.Margin(nd.depth)
	return margin > 0 && f.eval+margin <= nd.alpha
}

// reductions holds by how many plies a late move is searched less deep, by
// depth and number of the move.
type reductions [64][64]int8

// newReductions returns percent/100 times 0.4 + ln(depth)*ln(count)/2.2,
// rounded down; all zero if percent is negative.
func newReductions(percent int) *reductions {
	r := new(reductions)
	for depth := 1; depth < len(r); depth++ {
		for count := 1; count < len(r[depth]); count++ {
			plies := 0.4 + float64(math.Log(float64(depth))*math.Log(float64(count)))/2.2
			r[depth][count] = int8(float64(max(0, percent)) * plies / 100)
		}
	}
	return r
}

// Least depth and number of a move that is reduced.
const (
	leastReducedDepth = 3
	leastReducedCount = 3
)

// reduction returns by how many plies to reduce the quiet move e, the count-th
// of nd.
func (w *worker) reduction(nd *node, f *frame, e *Entry, count int) int {
	if nd.depth < leastReducedDepth || count < leastReducedCount || w.opts.LateMoves < 0 {
		return 0
	}
	r := int(w.late[min(nd.depth, 63)][min(count, 63)])
	if nd.cut {
		r++
	}
	if nd.pv {
		r--
	}
	if e.Move == f.killers[0] || e.Move == f.killers[1] {
		r--
	}
	side := w.pos.ToMove()
	one, two, _ := w.context(nd.ply, side)
	r -= (int(w.hist.plain[side][e.Slot]) + int(one[e.Slot]) + int(two[e.Slot])) / HistoryRange
	return max(0, r)
}
