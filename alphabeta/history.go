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

// history is what one thread has learnt of quiet moves in one search. Moves
// are known by side and slot; replies also by the slot of an earlier move, for
// which slots, one more than there are, stands for none.
type history struct {
	slots   int
	plain   [2][]int16     // [side][slot]
	after   [2][]int16     // [plies back - 1][earlier slot, slot]
	counter [2][]game.Move // [side][earlier slot]
}

// reset forgets everything and makes room for slots.
func (h *history) reset(slots int) {
	if h.slots != slots {
		h.slots = slots
		for i := range 2 {
			h.plain[i] = make([]int16, slots)
			h.after[i] = make([]int16, (slots+1)*slots)
			h.counter[i] = make([]game.Move, slots+1)
		}
	}
	for i := range 2 {
		clear(h.plain[i])
		clear(h.after[i])
		for j := range h.counter[i] {
			h.counter[i][j] = noMove
		}
	}
}

// reply returns what is known of moves one (back = 0) or two (back = 1) plies
// after a move with the slot earlier, by their slots.
func (h *history) reply(back int, earlier uint16) []int16 {
	return h.after[back][int(earlier)*h.slots:][:h.slots]
}
