package pattern

import (
	"fmt"

	"github.com/carozero/carozero/game/gomoku"
)

// rebuildShare says that patterns are built afresh where more than one of so
// many cells differ: each costs about as much as looking up that many.
const rebuildShare = 12

// Become gives b the position and the history of from, which it copies, as
// FromBoard does. The more of its stones b has already, the less there is to
// do: a game's next position costs about one Play. Values that b keeps are kept
// for the new position. Nothing is allocated. It panics if from has another
// rule set or size.
func (b *Board) Become(from *gomoku.Board) {
	if from.Rules() != b.rules || from.Size() != b.geo.size {
		panic(fmt.Sprintf("pattern: a board of %s on %dx%d cannot become one of %s on %dx%d",
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

// change puts another content into a cell and the patterns around it right. The
// cell counts as one near a stone, whatever it holds now.
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
