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
