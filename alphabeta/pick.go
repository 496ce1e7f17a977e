package alphabeta

import "github.com/carozero/carozero/game"

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
	tactical      bool // quiet moves are no longer wanted
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
	if p.tactical {
		w.dropQuiet(p)
		return
	}
	c := w.learnt(ply, w.pos.ToMove())
	for i := range fresh {
		e := &fresh[i]
		if e.Kind == Quiet {
			e.Hint += c.worth(e.Slot)
		}
	}
}

// skipQuiet makes the node hand out no more quiet moves.
func (w *worker) skipQuiet(p *picker) {
	p.tactical = true
	w.dropQuiet(p)
}

// dropQuiet leaves the quiet ones out of the entries that wait.
func (w *worker) dropQuiet(p *picker) {
	kept := p.at
	for _, e := range w.arena[p.at:p.end] {
		if e.Kind != Quiet {
			w.arena[kept] = e
			kept++
		}
	}
	p.end = kept
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
