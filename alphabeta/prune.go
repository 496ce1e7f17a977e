package alphabeta

import "math"

// prunable reports whether a node may be pruned without searching its moves, which is
// never sound: not on a principal variation, and not if the window is about claims.
func (nd *node) prunable() bool {
	return !nd.pv && nd.beta == nd.alpha+1 && !nd.alpha.decided() && !nd.beta.decided()
}

// reverseFutility prunes a node whose evaluation is above beta by more than the margin,
// unless the side to move faces threats.
func (w *worker) reverseFutility(nd *node) (Score, bool) {
	if nd.depth > w.opts.ReverseFutility || !nd.prunable() {
		return 0, false
	}
	depth := nd.depth
	if depth > 1 && w.improving(nd.ply) {
		depth--
	}
	margin := w.heuristics.Evaluation.Margin(depth)
	score := w.stack[nd.ply].eval - margin
	return score, margin > 0 && score >= nd.beta && w.marginHolds()
}

// marginHolds reports whether the node may be pruned by a margin.
func (w *worker) marginHolds() bool { return !w.opts.Threats.On() || w.heuristics.Evaluation.Quiet() }

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

// reductions holds the reduction of a late move in plies, by depth and move number.
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
func (w *worker) reduction(nd *node, e *ScoredMove, count int) int {
	if nd.depth < leastReducedDepth || count < leastReducedCount || w.opts.LateMoves < 0 {
		return 0
	}
	r := int(w.reductions[min(nd.depth, 63)][min(count, 63)])
	if nd.cut {
		r++
	}
	if nd.pv {
		r--
	}
	if w.opts.Improving.On() && !w.improving(nd.ply) {
		r++
	}
	if w.stack[nd.ply].pick.rated {
		r += w.priorReduction(e)
	}
	h := w.historyAt(nd.ply, w.pos.ToMove())
	r -= int(h.sum(e.Slot)) / HistoryRange
	return max(0, r)
}

// priorReduction returns by how many more plies to reduce a move that the Prior has
// rated: one for each PriorReduction that it is behind, rounded, minus one.
func (w *worker) priorReduction(e *ScoredMove) int {
	ply := BehindUnit * w.opts.PriorReduction / 100
	if ply <= 0 {
		return 0
	}
	return (int(e.Behind)+ply/2)/ply - 1
}

// countedMove is a move that a node is about to search: the count-th of its
// moves, reduced by that many plies.
type countedMove struct {
	ScoredMove
	count, reduced int
}

// moveLoop iterates over the moves of a node.
type moveLoop struct {
	count int // moves returned or deferred
	quiet int // of them, quiet ones
	limit int // on quiet

	deferral     // that of a single thread if the node is too shallow
	deferred int // moves deferred
	resumed  int // deferred moves that have been returned since
}

// maxDeferred bounds the moves of a node that are deferred.
const maxDeferred = 8

// newMoveLoop begins the moves of a node whose picker is ready.
func (w *worker) newMoveLoop(nd *node) moveLoop {
	l := moveLoop{limit: w.quietLimit(nd)}
	if nd.depth >= leastDeferDepth {
		l.deferral = w.newDeferral()
	}
	return l
}

// nextMove returns the next move to search at a node whose best score so far is best.
// Moves that another thread is searching come after all others.
func (w *worker) nextMove(nd *node, f *frame, l *moveLoop, best Score) (countedMove, bool) {
	for {
		e, ok := w.next(nd.ply)
		if !ok {
			return l.resume(f)
		}
		l.count++
		next := countedMove{ScoredMove: e, count: l.count}
		if e.Kind == Quiet {
			if l.quiet >= l.limit && best > -leastWin {
				w.skipQuiet(&f.pick)
				continue
			}
			l.quiet++
			next.reduced = w.reduction(nd, &e, l.count)
		}
		if !l.deferIfSearched(f, &next) {
			return next, true
		}
	}
}

// deferIfSearched defers a move if it is not the first and another thread is searching
// it; else it marks the move as being searched.
func (l *moveLoop) deferIfSearched(f *frame, next *countedMove) bool {
	if next.count > 1 && l.deferred < maxDeferred && l.deferMove(next.Move) {
		f.deferred[l.deferred] = *next
		l.deferred++
		return true
	}
	l.startSearch(next.Move)
	return false
}

// resume returns the next of the deferred moves.
func (l *moveLoop) resume(f *frame) (countedMove, bool) {
	if l.resumed == l.deferred {
		return countedMove{}, false
	}
	next := f.deferred[l.resumed]
	l.resumed++
	l.startSearch(next.Move)
	return next, true
}
