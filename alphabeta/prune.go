package alphabeta

import "math"

// tame reports whether a node may be given up without searching its moves,
// which is never sound. It may not on a principal variation or when the window
// is about claims.
func (nd *node) tame() bool {
	return !nd.pv && nd.beta == nd.alpha+1 && !nd.alpha.decided() && !nd.beta.decided()
}

// stands leaves a node whose evaluation is above the window by more than quiet
// play is expected to change (reverse futility pruning), unless there are threats.
func (w *worker) stands(nd *node) (Score, bool) {
	if nd.depth > w.opts.ReverseFutility || !nd.tame() {
		return 0, false
	}
	depth := nd.depth
	if depth > 1 && w.improving(nd.ply) {
		depth--
	}
	margin := w.parts.Evaluation.Margin(depth)
	score := w.stack[nd.ply].eval - margin
	return score, margin > 0 && score >= nd.beta && w.quiet()
}

// quiet reports whether the node may be left by a margin.
func (w *worker) quiet() bool { return !w.opts.Threats.On() || w.parts.Evaluation.Quiet() }

// improving reports whether the evaluation has grown since the side to move was
// last on move.
func (w *worker) improving(ply int) bool {
	return w.opts.Improving.On() && ply >= 2 && w.stack[ply].eval > w.stack[ply-2].eval
}

// quietMoves is how many quiet moves of a node are searched, by depth: 3 +
// depth^1.4, rounded down.
var quietMoves = [...]int{
	3, 4, 5, 7, 9, 12, 15, 18, 21, 24, 28, 31, 35, 39, 43, 47,
	51, 55, 60, 64, 69, 73, 78, 83, 88, 93, 98, 103, 109, 114, 119,
}

// quietLimit returns how many quiet moves of a node are searched: quietMoves,
// half as many if the evaluation is not improving, and twice as many on a
// principal variation.
func (w *worker) quietLimit(nd *node) int {
	if nd.alpha.decided() || nd.depth > w.opts.LatePruning {
		return math.MaxInt
	}
	limit := quietMoves[min(nd.depth, len(quietMoves)-1)]
	if nd.pv {
		limit *= 2
	} else if w.opts.Improving.On() && !w.improving(nd.ply) {
		limit /= 2
	}
	return limit
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
	leastReducedDepth = 2
	leastReducedCount = 2
)

// reduction returns by how many plies to reduce the quiet move e, the count-th
// of nd.
func (w *worker) reduction(nd *node, e *Entry, count int) int {
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
	if w.opts.Improving.On() && !w.improving(nd.ply) {
		r++
	}
	c := w.learnt(nd.ply, w.pos.ToMove())
	r -= int(c.worth(e.Slot)) / HistoryRange
	return max(0, r)
}
