package alphabeta

import "github.com/carozero/carozero/game"

// noMove is short for game.NoMove.
const noMove = game.NoMove

// HistoryRange bounds each figure of what is learnt of a move, to both sides
// of zero.
const HistoryRange = 1 << 13

// gravity moves h by bonus, the less the nearer h is to the end of the range
// that bonus points to, which it cannot leave.
func gravity(h *int16, bonus int) {
	size := max(bonus, -bonus)
	*h += int16(bonus - int(*h)*size/HistoryRange)
}

// bonus is what a cut-off at that depth is worth, at most HistoryRange/4.
func bonus(depth int) int { return min(24*depth*depth+64*depth, HistoryRange/4) }

// back lists how many plies before a move the moves lie after which its
// continuation history is kept.
var back = [...]int{1, 2, 4}

// history is what one thread has learnt of quiet moves. Moves are known by side
// and slot; replies also by the slot of an earlier move, for which slots, one
// more than there are, stands for none.
type history struct {
	slots int
	plain [2][]int16         // [side][slot]
	after [len(back)][]int16 // [of back][earlier slot, slot]
}

// resize makes room for slots. Unless it has been there, all is forgotten.
func (h *history) resize(slots int) {
	if h.slots == slots {
		return
	}
	h.slots = slots
	for i := range h.plain {
		h.plain[i] = make([]int16, slots)
	}
	for i := range h.after {
		h.after[i] = make([]int16, (slots+1)*slots)
	}
	h.clear()
}

// clear forgets everything.
func (h *history) clear() {
	for i := range h.plain {
		clear(h.plain[i])
	}
	for i := range h.after {
		clear(h.after[i])
	}
}

// age halves what is known, so that the next search, a move or two on, learns
// quickly what has changed.
func (h *history) age() {
	for i := range h.plain {
		halve(h.plain[i])
	}
	for i := range h.after {
		halve(h.after[i])
	}
}

func halve(figures []int16) {
	for i := range figures {
		figures[i] /= 2
	}
}

// learnt is what bears on the quiet moves of one node: rows of figures by
// slot.
type learnt struct {
	plain []int16
	after [len(back)][]int16
}

// learnt returns what is known of side's moves at ply.
func (w *worker) learnt(ply int, side game.Side) learnt {
	h := &w.hist
	c := learnt{plain: h.plain[side]}
	for i, plies := range back {
		earlier := h.slots
		if ply >= plies {
			earlier = int(w.stack[ply-plies].slot)
		}
		c.after[i] = h.after[i][earlier*h.slots:][:h.slots]
	}
	return c
}

// worth returns the sum of what is known of the moves with that slot, within
// (1+len(back))*HistoryRange of zero.
func (c *learnt) worth(slot uint16) int32 {
	sum := int32(c.plain[slot])
	for i := range c.after {
		sum += int32(c.after[i][slot])
	}
	return sum
}

// learn credits the quiet move e, which caused a cut-off at ply, and marks
// down the quiet moves that were searched before it.
func (w *worker) learn(ply, depth int, e *Entry) {
	f := &w.stack[ply]
	c := w.learnt(ply, w.pos.ToMove())
	gain := bonus(depth)
	if w.opts.History.On() {
		credit(c.plain, e.Slot, f.tried[:f.nTried], gain)
	}
	if w.opts.Continuation.On() {
		for _, row := range c.after {
			credit(row, e.Slot, f.tried[:f.nTried], gain)
		}
	}
}

// credit adds gain to the figure of a slot and takes it from the others.
func credit(row []int16, slot uint16, others []uint16, gain int) {
	gravity(&row[slot], gain)
	for _, other := range others {
		gravity(&row[other], -gain)
	}
}
