package alphabeta

import "github.com/carozero/carozero/game"

// What the moves that a node remembers for itself are moved ahead by.
const (
	killerBonus  = 3 * HistoryRange
	killer2Bonus = 2*HistoryRange + HistoryRange/2
	counterBonus = 2 * HistoryRange
)

// picker hands out the moves of a node: the move from the table, then stage by
// stage what the game's Picker lists, the best first. The entries of a stage
// lie in the worker's arena between base and end; those before at have been
// handed out.
type picker struct {
	base, at, end int
	stage         int
	more          bool
	hash          game.Move
	hashWaits     bool
}

// startPick makes the node at ply begin with the move hash, unless that is
// noMove; it must be legal.
func (w *worker) startPick(ply int, hash game.Move) {
	p := &w.stack[ply].pick
	base := 0
	if ply > 0 {
		base = w.stack[ply-1].pick.end
	}
	*p = picker{base: base, at: base, end: base, more: true, hash: hash, hashWaits: hash != noMove}
}

// next returns the next move of the node at ply.
func (w *worker) next(ply int) (Entry, bool) {
	p := &w.stack[ply].pick
	if p.hashWaits {
		p.hashWaits = false
		return w.parts.Picker.Describe(p.hash), true
	}
	for {
		for p.at == p.end {
			if !p.more {
				return Entry{}, false
			}
			w.list(ply, p)
		}
		if e := w.best(p); e.Move != p.hash {
			return e, true
		}
	}
}

// list takes the moves of the next stage and adds what is known of them.
func (w *worker) list(ply int, p *picker) {
	fresh, more := w.parts.Picker.Stage(p.stage, w.arena[p.base:p.base])
	p.stage, p.more = p.stage+1, more
	p.at, p.end = p.base, p.base+len(fresh)
	f := &w.stack[ply]
	side := w.pos.ToMove()
	plain := w.hist.plain[side]
	one, two, counter := w.context(ply, side)
	for i := range fresh {
		e := &fresh[i]
		if e.Kind != Quiet {
			continue
		}
		e.Hint += int32(plain[e.Slot]) + int32(one[e.Slot]) + int32(two[e.Slot])
		switch e.Move {
		case f.killers[0]:
			e.Hint += killerBonus
		case f.killers[1]:
			e.Hint += killer2Bonus
		case counter:
			e.Hint += counterBonus
		}
	}
}

// context returns what is known of moves after the last two on the path to
// ply, and the counter-move to the last.
func (w *worker) context(ply int, side game.Side) (one, two []int16, counter game.Move) {
	last, before := uint16(w.hist.slots), uint16(w.hist.slots)
	if ply > 0 {
		last = w.stack[ply-1].slot
	}
	if ply > 1 {
		before = w.stack[ply-2].slot
	}
	return w.hist.reply(0, last), w.hist.reply(1, before), w.hist.counter[side][last]
}

// best hands out the best of the remaining entries.
func (w *worker) best(p *picker) Entry {
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

// learn credits the quiet move e, which caused a cut-off at ply, and marks
// down the quiet moves that were searched before it.
func (w *worker) learn(ply, depth int, e *Entry) {
	f := &w.stack[ply]
	side := w.pos.ToMove()
	one, two, _ := w.context(ply, side)
	plain := w.hist.plain[side]
	gain := bonus(depth)
	if w.opts.Killers.On() && f.killers[0] != e.Move {
		f.killers[1], f.killers[0] = f.killers[0], e.Move
	}
	if w.opts.History.On() {
		gravity(&plain[e.Slot], gain)
		for _, slot := range f.tried[:f.nTried] {
			gravity(&plain[slot], -gain)
		}
	}
	if !w.opts.Continuation.On() {
		return
	}
	gravity(&one[e.Slot], gain)
	gravity(&two[e.Slot], gain)
	for _, slot := range f.tried[:f.nTried] {
		gravity(&one[slot], -gain)
		gravity(&two[slot], -gain)
	}
	if ply > 0 {
		w.hist.counter[side][w.stack[ply-1].slot] = e.Move
	}
}
