package pattern

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// cell is the state of one cell. While a stone stands on it both classes are
// Occupied and the lines are those from before.
type cell struct {
	lines [2]quad
	class [2]Class
}

// Board is a gomoku position that keeps the patterns of every empty cell, for
// both sides, up to date. It implements [game.Position] with the rules of the
// gomoku.Board inside. A Board belongs to one goroutine.
type Board struct {
	board *gomoku.Board
	rules gomoku.Rules
	geo   *geometry
	table *table

	lines  [lineCount]uint64
	cells  [maxCellsRound]cell
	counts [2][Classes]int
	sets   [2][Classes]Set
	near   Set // cells near a stone, occupied ones included
	values *Values
	paused *Values   // what ResumeValues makes values again
	worth  Worth     // of values, zero without
	pairs  pairWorth // of values, zero without

	frames  []frame
	changes []change

	now, later targets // scratch of queries
}

var _ game.Position = (*Board)(nil)

// frame is what Undo needs of the position before a move, beside its changes.
type frame struct {
	near    Set
	worth   Worth
	pairs   pairWorth
	changes int // length of Board.changes before the move
	cell    int16
	taken   uint8 // captured pairs, see Board.flanked
}

// change is the state of a cell before it changed.
type change struct {
	was  cell
	cell uint16
}

// New returns the empty board. It fails where gomoku.New does.
func New(r gomoku.Rules, size int) (*Board, error) {
	b, err := gomoku.New(r, size)
	if err != nil {
		return nil, err
	}
	return wrap(b), nil
}

// FromBoard returns a board with the position and the history of b, which it
// copies.
func FromBoard(b *gomoku.Board) *Board { return wrap(b.Copy()) }

// wrap takes board over and builds the state from its stones.
func wrap(board *gomoku.Board) *Board {
	rules := board.Rules()
	b := &Board{
		board:   board,
		rules:   rules,
		geo:     geometryFor(board.Size()),
		table:   tables.tableFor(&rules),
		frames:  make([]frame, 0, framesRoom),
		changes: make([]change, 0, changesRoom),
	}
	b.rebuild()
	return b
}

// Room for the frames and changes of a search; a longer game grows them once.
const (
	framesRoom  = 128
	changesRoom = framesRoom * 40
)

// rebuild computes everything from the stones of the wrapped board.
func (b *Board) rebuild() {
	g := b.geo
	b.lines, b.near, b.sets = g.lines, Set{}, [2][Classes]Set{}
	b.frames, b.changes = b.frames[:0], b.changes[:0]
	for c := range g.cells {
		if s := b.board.At(c); s != gomoku.Empty {
			b.toggle(s.Side(), c)
			b.addHalo(c)
		}
	}
	for c := range g.cells {
		b.cells[c] = cell{class: [2]Class{Occupied, Occupied}}
		if b.board.At(c) == gomoku.Empty {
			b.cells[c] = b.computed(c)
		}
		for s, class := range b.cells[c].class {
			b.sets[s][class].Add(c)
		}
	}
	for s := range b.counts {
		for class := range b.counts[s] {
			b.counts[s][class] = b.sets[s][class].Len()
		}
	}
	b.SetValues(b.values)
}

// computed returns the state of an empty cell, from its lines alone.
func (b *Board) computed(c int) (state cell) {
	for d := range directions {
		p := &b.geo.place[c][d]
		v := b.table.at(b.lines[p.line] >> (2 * p.at & 63))
		state.lines[game.First] |= quad(v&15) << (4 * d)
		state.lines[game.Second] |= quad(v>>4) << (4 * d)
	}
	for s := range state.class {
		state.class[s] = b.table.class[s][state.lines[s]]
	}
	return state
}

// Board returns the wrapped board, which is in the same position. The caller
// must not play on it.
func (b *Board) Board() *gomoku.Board { return b.board }
