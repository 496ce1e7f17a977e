package alphabeta

import "github.com/carozero/carozero/game"

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
