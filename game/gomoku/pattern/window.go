package pattern

import "github.com/carozero/carozero/game"

// Directions is the number of directions of lines: rows, columns, diagonals and
// antidiagonals, in this order.
const Directions = directions

// Reach is how far a Window looks to either side of a cell.
const Reach = reach

// KeyBits is the length of a key: a cell and Reach cells on either side, two bits
// each, the one with the smallest coordinate lowest: 0 for an empty cell, 1 for a
// stone of First, 2 for one of Second, 3 beyond the edge.
const KeyBits = 2 * (2*reach + 1)

// Window is the part of a line whose patterns depend on one cell: the Len cells Cell,
// Cell+Step, ..., at most Reach steps from it. The key of the first is the lowest KeyBits
// bits of Keys, and each right shift of Keys by two bits gives the next one.
type Window struct {
	Keys            uint64
	Cell, Step, Len int
}

// Window returns the window of a cell in direction d.
func (b *Board) Window(c, d int) Window {
	p := &b.geo.place[c][d]
	from, to := max(int(p.at)-reach, 0), min(int(p.at)+reach, int(p.last))
	step := b.geo.step[d]
	return Window{
		Keys: b.lines[p.line] >> (2 * uint(from) & 63),
		Cell: c + (from-int(p.at))*step, Step: step, Len: to - from + 1,
	}
}

// NoQuads is the result of Quads for a cell with a stone.
const NoQuads = 1<<32 - 1

// Quads sets quads[i] to the shapes that stones of both sides make on cells[i], those of
// First in the low half. CodeOf returns the code of a half; equal halves have equal codes.
func (b *Board) Quads(cells []uint16, quads []uint32) {
	quads = quads[:len(cells)]
	for i, c := range cells {
		state := &b.cells[c&(maxCellsRound-1)]
		// All bits are set without a branch, which stones would make unpredictable.
		stone := uint32(int32(state.class[0]^Occupied)-1) >> 31 * NoQuads
		quads[i] = uint32(state.lines[game.First]) | uint32(state.lines[game.Second])<<16 | stone
	}
}

// CodeOf returns the code of four shapes, see [Board.Code].
func CodeOf(quad uint16) uint16 { return codes()[quad] }
