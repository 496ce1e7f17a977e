package gomoku

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/carozero/carozero/game"
)

// Stone is the content of a cell.
type Stone uint8

// The contents of a cell.
const (
	Empty Stone = iota
	FirstStone
	SecondStone
)

// StoneOf returns the stone of a side.
func StoneOf(s game.Side) Stone { return FirstStone + Stone(s) }

// Side returns the owner of a stone; s is not Empty.
func (s Stone) Side() game.Side { return game.Side(s - FirstStone) }

// Board is a position of one rule set and size. It implements [game.Position]. A Board
// belongs to one goroutine: even some queries change it temporarily or cache results.
type Board struct {
	rules Rules
	geo   *geometry

	lines    [2]words
	cells    [maxCells]Stone
	stones   int // on the board
	toMove   game.Side
	outcome  game.Outcome
	reason   game.Reason
	captured [2]int // stones taken, by the side that took them
	pending  bool   // the side not to move has a five that can still be broken
	key      key

	history []record
	setup   int // stones that the game started with

	restricted [2]bool
	closed     closedCells
}

var _ game.Position = (*Board)(nil)

// record is what Undo needs of the position before a move.
type record struct {
	key     key
	move    game.Move
	taken   uint8 // pairs captured by the move, see Board.flanked
	pending bool
}

// New returns the empty board. The error wraps ErrRule or ErrSize.
func New(r Rules, size int) (*Board, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	if size < MinSize || size > MaxSize {
		return nil, fmt.Errorf("%w %d: boards are %d to %d wide", ErrSize, size, MinSize, MaxSize)
	}
	geo := geometries[size]
	b := &Board{
		rules:      r,
		geo:        geo,
		key:        keys.empty,
		history:    make([]record, 0, geo.cells+2*maxCaptured),
		restricted: [2]bool{r.restricts(game.First), r.restricts(game.Second)},
	}
	b.settleMoves()
	return b, nil
}

// Size returns the number of rows and of columns.
func (b *Board) Size() int { return b.geo.size }

// Rules returns the rule set.
func (b *Board) Rules() Rules { return b.rules }

// At returns the content of a cell, 0..size*size-1.
func (b *Board) At(cell int) Stone { return b.cells[cell] }

// Row returns the stones of side in row y: bit x is the cell y*Size()+x.
func (b *Board) Row(side game.Side, y int) uint32 { return b.lines[side][rowBase+y] >> pad }

// Captured returns how many stones side has taken off the board.
func (b *Board) Captured(side game.Side) int { return b.captured[side] }

// ToMove returns the side whose turn it is.
func (b *Board) ToMove() game.Side { return b.toMove }

// Ply returns the number of moves played, the stones of the setup included.
func (b *Board) Ply() int { return b.setup + len(b.history) }

// Hash returns the first half of Key.
func (b *Board) Hash() uint64 { return b.key[0] }

// Key returns a 128-bit Zobrist key of the stones, the side to move and the
// captured counts. Rules and size are not part of it.
func (b *Board) Key() [2]uint64 { return b.key }

// Outcome returns the result, Undecided while the game goes on.
func (b *Board) Outcome() game.Outcome { return b.outcome }

// Reason returns why the game is over: Line, Capture, Full or NoMoves.
func (b *Board) Reason() game.Reason { return b.reason }

// MaxMoves returns the number of cells.
func (b *Board) MaxMoves() int { return b.geo.cells }

// Pending reports whether the side not to move has a five that a capture can
// still break.
func (b *Board) Pending() bool { return b.pending }

// Last returns the last move, NoMove if none was played since the start or
// the setup.
func (b *Board) Last() game.Move {
	if len(b.history) == 0 {
		return game.NoMove
	}
	return b.history[len(b.history)-1].move
}

// History returns the moves played since the start or the setup, in a new
// slice.
func (b *Board) History() []game.Move {
	moves := make([]game.Move, len(b.history))
	for i := range b.history {
		moves[i] = b.history[i].move
	}
	return moves
}

// Clone is Copy as a [game.Position].
func (b *Board) Clone() game.Position { return b.Copy() }

// Copy returns an independent copy, its history included.
func (b *Board) Copy() *Board {
	c := *b
	c.history = append(make([]record, 0, cap(b.history)), b.history...)
	return &c
}

// CopyFrom makes b an independent copy of from, its history included. It reuses b's
// memory and allocates nothing if that suffices, as for boards of the same size.
func (b *Board) CopyFrom(from *Board) {
	history := append(b.history[:0], from.history...)
	*b = *from
	b.history = history
}

// Moves appends the legal moves in ascending order.
func (b *Board) Moves(buf []game.Move) []game.Move {
	if b.outcome != game.Undecided {
		return buf
	}
	if b.restricted[b.toMove] {
		return b.appendEmpty(buf, b.closedRows())
	}
	return b.appendEmpty(buf, &rows{})
}

// appendEmpty appends the empty cells that are not in except.
func (b *Board) appendEmpty(buf []game.Move, except *rows) []game.Move {
	n := len(buf)
	buf = slices.Grow(buf, b.geo.cells-b.stones)
	buf = buf[:cap(buf)]
	first := 0
	for y := range b.geo.size {
		for free := b.emptyIn(rowBase+y) &^ except[y]; free != 0; free &= free - 1 {
			buf[n] = game.Move(first + bits.TrailingZeros32(free) - pad)
			n++
		}
		first += b.geo.size
	}
	return buf[:n]
}

// Legal reports whether m is a legal move.
func (b *Board) Legal(m game.Move) bool {
	return b.outcome == game.Undecided && b.AllowedFor(b.toMove, int(m))
}

// emptyIn returns the empty cells of a line.
func (b *Board) emptyIn(line int) uint32 {
	return b.geo.valid[line] &^ (b.lines[game.First][line] | b.lines[game.Second][line])
}

// blockIn returns the cells of a line that block the ends of side's runs, 0
// where the rules ignore ends.
func (b *Board) blockIn(side game.Side, line int) uint32 {
	if !b.rules.OpponentBlocks {
		return 0
	}
	block := b.lines[side.Other()][line]
	if b.rules.EdgeBlocks {
		block |= ^b.geo.valid[line]
	}
	return block
}

// Play puts a stone of the side to move on the cell m and takes captured pairs
// off. The move must be legal; see [game.Position].
func (b *Board) Play(m game.Move) {
	side, cell := b.toMove, int(m)
	rec := record{key: b.key, move: m, pending: b.pending}
	b.put(side, cell)
	if b.rules.Captures {
		if rec.taken = b.flanked(side, cell); rec.taken != 0 {
			b.capture(side, cell, rec.taken)
		}
	}
	b.key = b.key.xor(keys.second)
	b.history = append(b.history, rec)
	b.toMove = side.Other()
	b.closed.known = false
	if b.rules.Captures {
		b.settleCapture(side, cell)
	} else if b.completes(side, cell) {
		b.end(game.WinFor(side), game.Line)
	}
	if b.outcome == game.Undecided {
		b.settleMoves()
	}
}

// Undo takes the last move back.
func (b *Board) Undo() {
	last := len(b.history) - 1
	rec := &b.history[last]
	side, cell := b.toMove.Other(), int(rec.move)
	if rec.taken != 0 {
		b.release(side, cell, rec.taken)
	}
	b.remove(side, cell)
	b.key, b.pending = rec.key, rec.pending
	b.history = b.history[:last]
	b.toMove = side
	b.outcome, b.reason = game.Undecided, game.NoReason
	b.closed.known = false
}

// Pass gives the turn to the other side; a second call gives it back. No rule allows a
// pass: it is for searches that look for threats. The game must be undecided with no five
// pending, and moves played after the first call must be undone before the second.
func (b *Board) Pass() {
	b.toMove = b.toMove.Other()
	b.key = b.key.xor(keys.second)
	b.closed.known = false
}

// put adds a stone, and remove takes one off. Both update the key.
func (b *Board) put(side game.Side, cell int) {
	b.toggle(side, cell)
	b.cells[cell] = StoneOf(side)
	b.stones++
	b.key = b.key.xor(keys.stone[cell][side])
}

func (b *Board) remove(side game.Side, cell int) {
	b.toggle(side, cell)
	b.cells[cell] = Empty
	b.stones--
	b.key = b.key.xor(keys.stone[cell][side])
}

// toggle flips a stone on the lines alone.
func (b *Board) toggle(side game.Side, cell int) {
	w, p := &b.lines[side], &b.geo.place[cell]
	w[p.line[0]] ^= 1 << (p.bit[0] & 31)
	w[p.line[1]] ^= 1 << (p.bit[1] & 31)
	w[p.line[2]] ^= 1 << (p.bit[2] & 31)
	w[p.line[3]] ^= 1 << (p.bit[3] & 31)
}

func (b *Board) end(o game.Outcome, r game.Reason) { b.outcome, b.reason = o, r }

// settleMoves ends the game as a draw if the side to move cannot move.
func (b *Board) settleMoves() {
	switch {
	case b.stones == b.geo.cells:
		b.end(game.Draw, game.Full)
	case b.restricted[b.toMove] && !b.canMove():
		b.end(game.Draw, game.NoMoves)
	}
}

// The board is kept as lines: a word of 32 bits for every row, column and
// diagonal, for either side. Cell k of a line, counted from its start, is bit
// pad+k; the pad bits at either end are never set in a stone word, so shifts
// by up to five neither leave the word nor reach a neighbour when two words
// travel as the halves of a uint64.
const pad = 5

// Lines are numbered through all directions. Five unused lines stand before
// and after the rows, so that the row above or below is always there to read.
const (
	rowBase   = pad
	colBase   = rowBase + MaxSize + pad
	diagBase  = colBase + MaxSize
	antiBase  = diagBase + 2*MaxSize
	lineCount = antiBase + 2*MaxSize
)

// directions is the number of directions of lines: rows (x grows), columns (y
// grows), diagonals (both grow) and antidiagonals (x shrinks, y grows).
const directions = 4

// words holds one word of stones for every line.
type words [lineCount]uint32

// pair returns the words of lines i and i+1, the first in the low half.
func (w *words) pair(i int) uint64 { return uint64(w[i]) | uint64(w[i+1])<<32 }

// place says where a cell is found in its four lines.
type place struct {
	line [directions]uint8
	bit  [directions]uint8
}

// span is the range lo..hi-1 of the lines of one direction that have four
// cells or more.
type span struct{ lo, hi int }

// geometry is what depends on the board's size alone. It never changes.
type geometry struct {
	size, cells int
	valid       words // the bits of cells on the board
	place       [maxCells]place
	span        [directions]span
	step        [directions]int // from a cell to the next one of its line
	origin      [lineCount]int16
}

var geometries = newGeometries()

func newGeometries() *[MaxSize + 1]*geometry {
	var all [MaxSize + 1]*geometry
	for size := MinSize; size <= MaxSize; size++ {
		all[size] = newGeometry(size)
	}
	return &all
}

func newGeometry(size int) *geometry {
	const shortest = 4
	short := shortest - 1
	g := &geometry{
		size:  size,
		cells: size * size,
		span: [directions]span{
			{rowBase, rowBase + size},
			{colBase, colBase + size},
			{diagBase + short, diagBase + 2*size - 1 - short},
			{antiBase + short, antiBase + 2*size - 1 - short},
		},
		step: [directions]int{1, size, size + 1, size - 1},
	}
	for y := range size {
		for x := range size {
			c := y*size + x
			line := [directions]int{rowBase + y, colBase + x, diagBase + x - y + size - 1, antiBase + x + y}
			at := [directions]int{x, y, min(x, y), min(y, size-1-x)}
			for d := range directions {
				g.place[c].line[d] = uint8(line[d])
				g.place[c].bit[d] = uint8(pad + at[d])
				g.valid[line[d]] |= 1 << (pad + at[d])
				g.origin[line[d]] = int16(c - (pad+at[d])*g.step[d])
			}
		}
	}
	return g
}

// cell returns the cell at a bit of a line of direction d.
func (g *geometry) cell(d, line, bit int) int {
	return int(g.origin[line]) + bit*g.step[d]
}

// rows is a set of cells: one word a row, bits as in row lines.
type rows [MaxSize]uint32

func (r *rows) add(g *geometry, cell int) {
	p := &g.place[cell]
	r[p.line[0]-rowBase] |= 1 << p.bit[0]
}
