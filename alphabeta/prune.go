package alphabeta

import (
	"math"

	"github.com/carozero/carozero/game"
)

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
	margin := w.heuristics.Evaluation.Margin(nd.depth)
	score := w.stack[nd.ply].eval - margin
	return score, margin > 0 && score >= nd.beta && w.marginHolds()
}

// marginHolds reports whether the node may be pruned by a margin.
func (w *worker) marginHolds() bool { return !w.opts.Threats.On() || w.heuristics.Evaluation.Quiet() }

// quietMoves is how many quiet moves of a node are searched, by depth: 3 +
// depth^1.4, rounded down.
var quietMoves = [...]int{
	3, 4, 5, 7, 9, 12, 15, 18, 21, 24, 28, 31, 35, 39, 43, 47,
	51, 55, 60, 64, 69, 73, 78, 83, 88, 93, 98, 103, 109, 114, 119,
}

// quietLimit returns how many quiet moves of a node are searched: quietMoves, twice as many
// on a principal variation.
func (w *worker) quietLimit(nd *node) int {
	if nd.alpha.decided() || nd.depth > w.opts.LatePruning {
		return math.MaxInt
	}
	limit := quietMoves[min(nd.depth, len(quietMoves)-1)]
	if nd.pv {
		limit *= 2
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

// movePicker returns the moves of a node one by one: the table's move, then stage by
// stage the moves of the game's Picker, the best first. The moves of a stage lie in the
// worker's arena between base and end; those before at have been returned.
type movePicker struct {
	base, at, end int
	stage         int
	more          bool
	tableMove     game.Move
	waits         bool // tableMove has not been returned yet
	tactical      bool // quiet moves are skipped from now on
	rated         bool // the Prior rates the stages
}

// startPick starts the move picker of the node at ply with that depth left. tableMove is
// legal or noMove.
func (w *worker) startPick(ply, depth int, tableMove game.Move) {
	p := &w.stack[ply].pick
	base := 0
	if ply > 0 {
		base = w.stack[ply-1].pick.end
	}
	*p = movePicker{base: base, at: base, end: base, more: true, tableMove: tableMove, waits: tableMove != noMove}
	p.rated = w.heuristics.Prior != nil && w.opts.PriorDepth > 0 && depth >= w.opts.PriorDepth
}

// next returns the next move of the node at ply.
func (w *worker) next(ply int) (ScoredMove, bool) {
	p := &w.stack[ply].pick
	if p.waits {
		p.waits = false
		return w.heuristics.Picker.Describe(p.tableMove), true
	}
	for {
		for p.at == p.end {
			if !p.more {
				return ScoredMove{}, false
			}
			w.list(ply, p)
		}
		if e := w.best(p); e.Move != p.tableMove {
			return e, true
		}
	}
}

// list gets the moves of the next stage and adds their history to the hints.
func (w *worker) list(ply int, p *movePicker) {
	fresh, more := w.heuristics.Picker.Stage(p.stage, w.arena[p.base:p.base])
	p.stage, p.more = p.stage+1, more
	p.at, p.end = p.base, p.base+len(fresh)
	if p.tactical {
		w.dropQuiet(p)
		return
	}
	if p.rated {
		w.heuristics.Prior.Rate(fresh)
	}
	h := w.historyAt(ply, w.pos.ToMove())
	for i := range fresh {
		e := &fresh[i]
		if e.Kind == Quiet {
			e.Hint += h.sum(e.Slot)
		}
	}
}

// skipQuiet makes the picker return no more quiet moves.
func (w *worker) skipQuiet(p *movePicker) {
	p.tactical = true
	w.dropQuiet(p)
}

// dropQuiet removes the quiet moves that have not been returned yet.
func (w *worker) dropQuiet(p *movePicker) {
	kept := p.at
	for _, e := range w.arena[p.at:p.end] {
		if e.Kind != Quiet {
			w.arena[kept] = e
			kept++
		}
	}
	p.end = kept
}

// best returns the best of the remaining moves.
func (w *worker) best(p *movePicker) ScoredMove {
	rest := w.arena[p.at:p.end]
	top := 0
	for i := 1; i < len(rest); i++ {
		if rest[i].Hint > rest[top].Hint {
			top = i
		}
	}
	e := rest[top]
	// Shifting instead of swapping keeps equal moves as they were listed.
	copy(rest[1:top+1], rest[:top])
	p.at++
	return e
}

// noMove is short for game.NoMove.
const noMove = game.NoMove

// HistoryRange bounds the absolute value of each history figure, which is 0 after
// figureBits+1 halvings.
const (
	figureBits   = 13
	HistoryRange = 1 << figureBits
)

// gravity adds bonus to h, scaled down as h approaches the bound in the direction of
// bonus, so that h stays within HistoryRange.
func gravity(h *int16, bonus int) {
	size := max(bonus, -bonus)
	*h += int16(bonus - int(*h)*size/HistoryRange)
}

// bonus returns the history bonus of a cutoff at that depth, at most HistoryRange/4.
func bonus(depth int) int { return min(24*depth*depth+64*depth, HistoryRange/4) }

// continuationPlies lists the distances in plies of the earlier moves by which
// continuation history is kept.
var continuationPlies = [...]int{1, 2, 4}

// history is one thread's history of quiet moves: main by side and slot, continuation by
// the slot of an earlier move and the move's own slot. The earlier slot is h.slots if
// there is no earlier move.
//
// Between searches all figures are halved. A row of the continuation history, of which a
// search visits few, makes up for it when it is next asked for.
type history struct {
	slots        int
	main         [2][]int16                      // [side][slot]
	continuation [len(continuationPlies)][]int16 // [of continuationPlies][earlier slot, slot]

	halvings uint32                           // of all figures so far
	halved   [len(continuationPlies)][]uint32 // those that a row has had, [of continuationPlies][earlier slot]
}

// resize makes room for slots. If the number changes the history is cleared.
func (h *history) resize(slots int) {
	if h.slots == slots {
		return
	}
	h.slots = slots
	for i := range h.main {
		h.main[i] = make([]int16, slots)
	}
	for i := range h.continuation {
		h.continuation[i] = make([]int16, (slots+1)*slots)
		h.halved[i] = make([]uint32, slots+1)
	}
	h.clear()
}

// clear sets all figures to zero.
func (h *history) clear() {
	for i := range h.main {
		clear(h.main[i])
	}
	for i := range h.continuation {
		clear(h.continuation[i])
	}
}

// age halves all figures, so that the next search, a move or two later, adapts quickly.
func (h *history) age() {
	for i := range h.main {
		halve(h.main[i])
	}
	h.halvings++
}

func halve(figures []int16) {
	for i := range figures {
		figures[i] /= 2
	}
}

// after returns the row of an earlier slot in the continuation history of number i.
func (h *history) after(i, earlier int) []int16 {
	row := h.continuation[i][earlier*h.slots:][:h.slots]
	if missed := h.halvings - h.halved[i][earlier]; missed != 0 {
		h.halved[i][earlier] = h.halvings
		if missed > figureBits {
			clear(row)
			return row
		}
		for range missed {
			halve(row)
		}
	}
	return row
}

// moveHistory holds the rows of the history for the quiet moves of one node, by slot.
type moveHistory struct {
	main         []int16
	continuation [len(continuationPlies)][]int16
}

// historyAt returns the history of side's moves at ply.
func (w *worker) historyAt(ply int, side game.Side) moveHistory {
	h := &w.hist
	c := moveHistory{main: h.main[side]}
	for i, plies := range continuationPlies {
		earlier := h.slots
		if ply >= plies {
			earlier = int(w.stack[ply-plies].slot)
		}
		c.continuation[i] = h.after(i, earlier)
	}
	return c
}

// sum returns the sum of a slot's figures, at most
// (1+len(continuationPlies))*HistoryRange in absolute value.
func (c *moveHistory) sum(slot uint16) int32 {
	sum := int32(c.main[slot])
	for i := range c.continuation {
		sum += int32(c.continuation[i][slot])
	}
	return sum
}

// updateHistory raises the history of the quiet move e, which caused a cutoff at ply, and
// lowers that of the quiet moves searched before it.
func (w *worker) updateHistory(ply, depth int, e *ScoredMove) {
	f := &w.stack[ply]
	c := w.historyAt(ply, w.pos.ToMove())
	gain := bonus(depth)
	if w.opts.History.On() {
		updateRow(c.main, e.Slot, f.tried[:f.nTried], gain)
	}
	if w.opts.Continuation.On() {
		for _, row := range c.continuation {
			updateRow(row, e.Slot, f.tried[:f.nTried], gain)
		}
	}
}

// updateRow adds gain to the figure of a slot and subtracts it from the others.
func updateRow(row []int16, slot uint16, others []uint16, gain int) {
	gravity(&row[slot], gain)
	for _, other := range others {
		gravity(&row[other], -gain)
	}
}
