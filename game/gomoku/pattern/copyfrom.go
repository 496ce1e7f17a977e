package pattern

import (
	"fmt"

	"github.com/carozero/carozero/game/gomoku"
)

// rebuildShare decides when CopyFrom computes all patterns anew: if more than one in
// rebuildShare cells differ. Changing a cell costs about as much as looking up that
// many.
const rebuildShare = 12

// CopyFrom makes b a copy of from, its history included, and updates the patterns
// of the cells that differ: the next position of a game costs about one Play. The
// sums of SetValues are kept. It allocates nothing, and panics if from has another
// rule set or size.
func (b *Board) CopyFrom(from *gomoku.Board) {
	if from.Rules() != b.rules || from.Size() != b.geo.size {
		panic(fmt.Sprintf("pattern: a board of %s on %dx%d cannot copy one of %s on %dx%d",
			b.rules.Name, b.geo.size, b.geo.size, from.Rules().Name, from.Size(), from.Size()))
	}
	var changed Set
	count := 0
	for c := range b.geo.cells {
		if b.board.At(c) != from.At(c) {
			changed.Add(c)
			count++
		}
	}
	if count*rebuildShare > b.geo.cells {
		b.board.CopyFrom(from)
		b.rebuild()
		return
	}
	removed := false
	for c := changed.Next(0); c >= 0; c = changed.Next(c + 1) {
		b.change(c, b.board.At(c), from.At(c))
		removed = removed || from.At(c) == gomoku.Empty
	}
	b.board.CopyFrom(from)
	b.frames, b.changes = b.frames[:0], b.changes[:0]
	if removed {
		b.gatherHalos()
	}
}

// change gives a cell another content and updates the patterns around it. The cell
// counts as near a stone, whatever it holds now.
func (b *Board) change(c int, was, now gomoku.Stone) {
	if was != gomoku.Empty {
		b.toggle(was.Side(), c)
	}
	if now != gomoku.Empty {
		b.toggle(now.Side(), c)
	}
	switch {
	case now == gomoku.Empty:
		b.set(c, b.computed(c))
	case was == gomoku.Empty:
		b.set(c, cell{lines: b.cells[c].lines, class: [2]Class{Occupied, Occupied}})
	}
	b.refresh(c)
	b.addHalo(c)
}
