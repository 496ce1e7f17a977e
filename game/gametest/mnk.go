package gametest

import (
	"fmt"
	"math/bits"

	"github.com/carozero/carozero/game"
)

// maxCells is the largest board of an [MNK], one bit a cell.
const maxCells = 64

// MNK is a position of the m,n,k game: on a board of m columns and n rows the
// sides take turns to fill one empty cell, and who first has k or more stones
// in an unbroken row, column or diagonal wins. A full board is a draw.
// Tic-tac-toe is 3,3,3. A move is the cell's index, row*m + column, row 0
// being row "1" of the notation.
type MNK struct {
	shape   *mnkShape
	stones  [2]uint64 // by side, bit = cell
	hash    uint64
	outcome game.Outcome
	ply     uint8
	history [maxCells]uint8
}

// mnkShape is what never changes of a game; clones share it.
type mnkShape struct {
	columns, rows, k int
	full             uint64              // every cell
	lines            [][]uint64          // by cell: the runs of k cells that hold it
	zobrist          [2][maxCells]uint64 // by side and cell
	turn             uint64              // second to move
}

// NewMNK returns the empty board of m columns and n rows with k in a row to
// win. It panics unless 1 <= k, 1 <= m <= 26, 1 <= n and m*n <= 64.
func NewMNK(m, n, k int) *MNK {
	if k < 1 || m < 1 || m > 26 || n < 1 || m*n > maxCells {
		panic(fmt.Sprintf("gametest: no m,n,k game %d,%d,%d: want k >= 1, 1 <= m <= 26, m*n <= %d", m, n, k, maxCells))
	}
	s := &mnkShape{columns: m, rows: n, k: k, full: ^uint64(0) >> (maxCells - m*n)}
	s.lines = make([][]uint64, m*n)
	for _, d := range [4][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}} {
		s.addLines(d[0], d[1])
	}
	seed := uint64(m)<<16 | uint64(n)<<8 | uint64(k)
	for side := range s.zobrist {
		for cell := range s.zobrist[side] {
			seed, s.zobrist[side][cell] = splitmix(seed)
		}
	}
	_, s.turn = splitmix(seed)
	return &MNK{shape: s}
}

// addLines enters every run of k cells in the direction dx, dy.
func (s *mnkShape) addLines(dx, dy int) {
	for cell := range s.columns * s.rows {
		var mask uint64
		x, y := cell%s.columns, cell/s.columns
		for range s.k {
			if x < 0 || x >= s.columns || y >= s.rows {
				mask = 0
				break
			}
			mask |= 1 << (y*s.columns + x)
			x, y = x+dx, y+dy
		}
		for rest := mask; rest != 0; rest &= rest - 1 {
			c := bits.TrailingZeros64(rest)
			s.lines[c] = append(s.lines[c], mask)
		}
	}
}

// splitmix advances the state of a splitmix64 generator and returns the new
// state and its output (Steele, Lea and Flood, OOPSLA 2014).
func splitmix(state uint64) (next, out uint64) {
	state += 0x9E3779B97F4A7C15
	z := state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return state, z ^ z>>31
}

// Columns returns m.
func (p *MNK) Columns() int { return p.shape.columns }

// Rows returns n.
func (p *MNK) Rows() int { return p.shape.rows }

// K returns the length of row that wins.
func (p *MNK) K() int { return p.shape.k }

// Stones returns the cells that side holds, bit = cell.
func (p *MNK) Stones(side game.Side) uint64 { return p.stones[side] }

// ToMove returns the side whose turn it is.
func (p *MNK) ToMove() game.Side { return game.Side(p.ply & 1) }

// Ply returns the number of stones on the board.
func (p *MNK) Ply() int { return int(p.ply) }

// Hash returns a 64-bit Zobrist hash of the stones and the side to move.
func (p *MNK) Hash() uint64 { return p.hash }

// Outcome returns the result, Undecided while the game goes on.
func (p *MNK) Outcome() game.Outcome { return p.outcome }

// Reason returns Line for a win and Full for a draw.
func (p *MNK) Reason() game.Reason {
	switch p.outcome {
	case game.Undecided:
		return game.NoReason
	case game.Draw:
		return game.Full
	}
	return game.Line
}

// MaxMoves returns the number of cells.
func (p *MNK) MaxMoves() int { return p.shape.columns * p.shape.rows }

// empty returns the cells that may be played.
func (p *MNK) empty() uint64 {
	if p.outcome != game.Undecided {
		return 0
	}
	return p.shape.full &^ (p.stones[0] | p.stones[1])
}

// Moves appends the empty cells unless the game is over.
func (p *MNK) Moves(buf []game.Move) []game.Move {
	for rest := p.empty(); rest != 0; rest &= rest - 1 {
		buf = append(buf, game.Move(bits.TrailingZeros64(rest)))
	}
	return buf
}

// Wins appends the cells that complete a row of the side to move.
func (p *MNK) Wins(buf []game.Move) []game.Move {
	own := p.stones[p.ToMove()]
	for rest := p.empty(); rest != 0; rest &= rest - 1 {
		cell := bits.TrailingZeros64(rest)
		if p.completes(own, cell) {
			buf = append(buf, game.Move(cell))
		}
	}
	return buf
}

// completes reports whether the stones own and one more on cell hold a row
// through cell.
func (p *MNK) completes(own uint64, cell int) bool {
	own |= 1 << cell
	for _, line := range p.shape.lines[cell] {
		if own&line == line {
			return true
		}
	}
	return false
}

// Legal reports whether m is an empty cell of a game that is not over.
func (p *MNK) Legal(m game.Move) bool {
	return m < maxCells && p.empty()>>m&1 != 0
}

// Play puts a stone of the side to move on the cell m.
func (p *MNK) Play(m game.Move) {
	side, cell := p.ToMove(), int(m)
	p.history[p.ply] = uint8(m)
	p.ply++
	p.stones[side] |= 1 << cell
	p.hash ^= p.shape.zobrist[side][cell] ^ p.shape.turn
	switch {
	case p.completes(p.stones[side], cell):
		p.outcome = game.WinFor(side)
	case p.stones[0]|p.stones[1] == p.shape.full:
		p.outcome = game.Draw
	}
}

// Undo takes the last stone off the board.
func (p *MNK) Undo() {
	p.ply--
	side, cell := p.ToMove(), p.history[p.ply]
	p.stones[side] &^= 1 << cell
	p.hash ^= p.shape.zobrist[side][cell] ^ p.shape.turn
	p.outcome = game.Undecided
}

// Clone returns an independent copy.
func (p *MNK) Clone() game.Position {
	c := *p
	return &c
}

// Notation returns the notation of moves on this board.
func (p *MNK) Notation() game.Notation { return MNKNotation{Columns: p.shape.columns} }
